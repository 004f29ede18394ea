// SPDX-License-Identifier: MIT
#include "fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <helixavatar/gltf/image_header.hpp>

namespace helixavatar::import {
namespace {

std::string in_megabytes(std::size_t bytes) {
    const auto hundredths = static_cast<std::size_t>(std::ceil(static_cast<double>(bytes) / 1048576 * 100));
    const std::string fraction = std::to_string(hundredths % 100);
    return std::to_string(hundredths / 100) + "." + (fraction.size() < 2 ? "0" : "") + fraction + " MiB";
}

std::string list_of(const std::vector<std::size_t>& numbers) {
    std::string text;
    for (const std::size_t number : numbers) text += (text.empty() ? "" : " / ") + std::to_string(number);
    return text;
}

/// Which of the candidates is taken, in words, when it asks for less than the triangle budget allows.
void note_triangles(Job& job, const std::vector<std::size_t>& wanted) {
    const std::size_t source = job.record.fit.source_triangles;
    std::vector<std::size_t> got;
    for (const avatar::Level& level : job.avatar.levels) got.push_back(level.triangles());
    std::vector<std::string>& gave_up = job.record.fit.gave_up;
    if (got.front() < source)
        gave_up.push_back("triangles: the nearest level has " + std::to_string(got.front()) + " of the source's " +
                          std::to_string(source));
    if (got.front() < std::min(wanted.front(), source) * 9 / 10)
        gave_up.push_back("triangles: levels of " + list_of(got) + " where the triangle budget alone would allow " +
                          list_of(wanted) + ", to leave bytes to the textures");
}

Error too_large(const Job& job) {
    const std::size_t limit = preflight::Budgets{}.file_bytes;
    const std::size_t over = job.record.fit.bytes_over;
    return Error{
        ErrorKind::unconvertible,
        "the file-size budget cannot be met: with the fewest triangles and the smallest textures the file is " +
            in_megabytes(limit + over) + ", " + in_megabytes(over) + " over the limit of " + in_megabytes(limit) +
            " (" + in_megabytes(job.record.fit.geometry_bytes) + " of it is geometry, morph targets and joints)",
        "", "remove morph targets, textures or parts that the avatar does not need, and export it again"};
}

}  // namespace

std::size_t largest_edge(const avatar::Avatar& avatar) {
    int edge = 0;
    for (const avatar::Image& image : avatar.images)
        if (const auto header = gltf::read_image_header(image.bytes))
            edge = std::max({edge, header->width, header->height});
    return static_cast<std::size_t>(edge);
}

Result<void> fit(Job& job, Result<void> (*size_steps)(Job&)) {
    const texture::TextureForecast forecast(job.avatar, job.options.textures);
    const avatar::Avatar whole = job.avatar;
    Record before = job.record;
    before.fit.source_triangles = whole.levels.front().triangles();
    const std::vector<std::size_t> wanted = wanted_triangles(before.fit.source_triangles, job.options, job.plan);
    double correction = 1;
    std::size_t below = std::numeric_limits<std::size_t>::max();
    for (;;) {
        std::vector<Candidate> list = candidates(whole, job.options, job.plan, forecast, correction, below);
        if (list.empty()) return too_large(job);
        // Nothing fits by the estimates: then the smallest is the one that might.
        if (!std::isfinite(list.front().loss())) std::rotate(list.begin(), list.end() - 1, list.end());
        const Candidate chosen = list.front();
        job.plan.triangles = chosen.triangles;
        job.avatar = whole;
        job.record = before;
        job.record.fit.considered = std::move(list);
        Result<void> done = size_steps(job);
        if (!done) return done;
        if (job.record.fit.bytes_over == 0) {
            note_triangles(job, wanted);
            return {};
        }
        below = std::min(chosen.triangles.front(), before.fit.source_triangles);
        correction *= std::max(1.0, static_cast<double>(job.record.fit.geometry_bytes) /
                                        static_cast<double>(std::max<std::size_t>(chosen.geometry_bytes, 1)));
    }
}

Result<void> fit_textures_step(Job& job) {
    FitRecord& record = job.record.fit;
    const std::size_t limit = preflight::Budgets{}.file_bytes;
    record.geometry_bytes = bytes_without_images(job.avatar);
    const std::size_t left = limit > record.geometry_bytes ? limit - record.geometry_bytes : 0;
    texture::TextureOptions options = job.options.textures;
    options.limits = job.options.limits;
    const double loss = texture::TextureForecast(job.avatar, options).loss_within(left);
    if (record.geometry_bytes > limit || !std::isfinite(loss)) {  // no need to encode anything to know
        record.bytes_over = record.geometry_bytes > limit ? record.geometry_bytes - limit : 1;
        return {};
    }
    Result<texture::FittedTextures> out = texture::fit_textures(std::move(job.avatar), options, left);
    if (!out) return out.error();
    job.avatar = std::move(out->output.avatar);
    job.record.textures = std::move(out->output);
    job.record.textures.avatar = {};
    job.warn(job.record.textures.warnings);
    record.gave_up.insert(record.gave_up.end(), out->given_up.begin(), out->given_up.end());
    record.bytes_over = out->fits ? 0 : out->bytes - left;
    return {};
}

Result<void> conclude_fit(Job& job, const preflight::Report& report) {
    const preflight::Budgets limits;
    const avatar::SourceFacts& source = job.record.facts;
    const preflight::Measured& now = report.measured;
    job.record.fit.budgets = {
        {"triangles", limits.triangles, source.triangles, now.triangles},
        {"draw-calls", limits.draw_calls, source.primitives, now.draw_calls},
        {"file-size", limits.file_bytes, job.record.file.bytes, now.file_bytes},
        {"materials", limits.materials, source.materials, now.materials},
        {"texture-edge", limits.texture_edge, job.record.fit.source_edge, now.largest_texture_edge},
    };
    const std::size_t edge = job.record.fit.source_edge;
    if (edge > limits.texture_edge)
        job.record.fit.gave_up.push_back("textures: " + std::to_string(now.largest_texture_edge) +
                                         " pixels at most, instead of the source's " + std::to_string(edge));
    if (!report.failed(false)) return {};
    Error error{ErrorKind::unconvertible, "", "",
                "see what stays out of the atlas with `import` without --fit, or "
                "remove parts that the avatar does not need"};
    for (const FittedBudget& budget : job.record.fit.budgets)
        if (!budget.met())
            error.message += (error.message.empty() ? "a budget cannot be met: " : "; ") + budget.id + " is " +
                             std::to_string(budget.after) + ", " + std::to_string(budget.after - budget.limit) +
                             " over the limit of " + std::to_string(budget.limit);
    if (!error.message.empty()) return error;
    error.message = "inside every budget, but preflight would refuse the avatar";
    error.hint = "mend the source, or import it without --fit to look at the result";
    for (const Finding& finding : report.findings)
        if (finding.severity == Severity::error) error.message += ": " + finding.rule + ": " + finding.message;
    return error;
}

}  // namespace helixavatar::import
