// SPDX-License-Identifier: MIT
#include "batch/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include <helixavatar/base/log.hpp>
#include <helixavatar/base/printable.hpp>

namespace helixavatar::batch {
namespace {

/// Between two lines of a log.
constexpr std::chrono::seconds kBetweenLines{10};
/// What a file costs besides its bytes, in bytes: an estimate of the time left needs no more than the order of it.
constexpr double kOverhead = 100'000;

double work_of(const Job& job) {
    return kOverhead + static_cast<double>(job.input.bytes);
}

std::size_t columns() {
    winsize size{};
    return ::ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string duration(double seconds) {
    const auto whole = static_cast<long long>(std::ceil(seconds));
    char text[32];
    if (whole >= 3600)
        std::snprintf(text, sizeof text, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        std::snprintf(text, sizeof text, "%lld min %02lld s", whole / 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%lld s", whole);
    return text;
}

}  // namespace

Progress::Progress(const std::vector<Job>& jobs, bool wanted)
    : wanted_(wanted),
      bar_(wanted && ::isatty(2) && !std::getenv("NO_COLOR") && !std::getenv("CI")),
      files_(jobs.size()) {
    for (const Job& job : jobs) work_ += work_of(job);
}

void Progress::begun(const Job& job) {
    now_ = printable(job.input.below.native());
}

void Progress::ended(const Job& job, const Outcome& outcome) {
    ++ended_;
    (outcome.state == State::kept ? work_kept_ : work_done_) += work_of(job);
    if (!outcome.error) return;
    ++failed_;
    hide();
    std::string text = printable(job.input.path.native()) + ": " + outcome.error->message;
    if (!outcome.error->where.empty() && outcome.error->where != job.input.path.native())
        text += "\n  where: " + printable(outcome.error->where);
    if (!outcome.error->hint.empty()) text += "\n  what to do: " + outcome.error->hint;
    log::error(text);
}

std::string Progress::counts() const {
    return std::to_string(ended_) + " of " + std::to_string(files_) + " files, " + std::to_string(failed_) + " failed";
}

std::string Progress::time_left() const {
    if (work_done_ <= 0 || ended_ == files_) return {};
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return ", about " + duration(seconds * (work_ - work_kept_ - work_done_) / work_done_) + " left";
}

void Progress::tick() {
    if (!wanted_) return;
    if (!bar_) {
        const bool last = ended_ == files_;
        if (!last && Clock::now() - said_ < kBetweenLines) return;
        said_ = Clock::now();
        log::info(counts() + time_left());
        return;
    }
    if (ended_ == files_) return hide();
    constexpr std::size_t kWidth = 20;
    const auto full = static_cast<std::size_t>(kWidth * (work_done_ + work_kept_) / std::max(work_, 1.0));
    std::string line = "[" + std::string(std::min(full, kWidth), '#') +
                       std::string(kWidth - std::min(full, kWidth), '.') + "] " + counts() + time_left() + "  " + now_;
    std::size_t end = 0;  // cut between characters, to one line of the terminal
    for (std::size_t column = 0; column + 1 < columns() && end < line.size(); ++column)
        end += std::max<std::size_t>(1, utf8_length(line, end));
    line.resize(std::min(end, line.size()));
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
    shown_ = true;
}

void Progress::hide() {
    if (!shown_) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    shown_ = false;
}

void Progress::say(const std::string& text) {
    hide();
    log::warn(text);
}

}  // namespace helixavatar::batch
