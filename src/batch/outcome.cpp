// SPDX-License-Identifier: MIT
#include <helixavatar/batch/outcome.hpp>

#include "batch/wire.hpp"

#include <helixavatar/base/printable.hpp>

namespace helixavatar::batch {
namespace {

/// The exit codes and error kinds by name: a number would tie the record to the order of an enum.
constexpr std::pair<ErrorKind, const char*> kKinds[] = {
    {ErrorKind::usage, "usage"},           {ErrorKind::unreadable, "unreadable"},
    {ErrorKind::malformed, "malformed"},   {ErrorKind::unconvertible, "unconvertible"},
    {ErrorKind::unwritable, "unwritable"}, {ErrorKind::internal, "internal"}};

constexpr ExitCode kCodes[] = {ExitCode::ok,        ExitCode::judged_bad,    ExitCode::usage,
                               ExitCode::bad_input, ExitCode::unconvertible, ExitCode::unwritable,
                               ExitCode::internal};

Json error_json(const std::optional<Error>& error) {
    if (!error) return nullptr;
    const char* kind = "internal";
    for (const auto& [value, name] : kKinds)
        if (value == error->kind) kind = name;
    return {{"kind", kind},
            {"message", valid(error->message)},
            {"where", printable(error->where)},
            {"hint", valid(error->hint)}};
}

std::optional<Error> error_from(const Json& json) {
    if (json.is_null()) return std::nullopt;
    Error error{ErrorKind::internal, json.at("message"), json.at("where"), json.at("hint")};
    for (const auto& [value, name] : kKinds)
        if (json.at("kind") == name) error.kind = value;
    return error;
}

Json texts(const std::vector<std::string>& list) {
    Json json = Json::array();
    for (const std::string& text : list) json.push_back(valid(text));
    return json;
}

}  // namespace

std::string valid(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text, at);
        out += length == 0 ? printable(text.substr(at, 1)) : std::string(text.substr(at, length));
        at += length == 0 ? 1 : length;
    }
    return out;
}

Json traces_json(const std::vector<FileTrace>& traces) {
    Json list = Json::array();
    for (const FileTrace& trace : traces)
        list.push_back({{"file", printable(trace.file.native())}, {"bytes", trace.bytes}, {"sha256", trace.sha256}});
    return list;
}

std::vector<FileTrace> traces_from(const Json& json) {
    std::vector<FileTrace> traces;
    for (const Json& trace : json)
        traces.push_back({trace.at("file").get<std::string>(), trace.at("bytes").get<std::size_t>(),
                          trace.at("sha256").get<std::string>()});
    return traces;
}

const char* to_string(State state) {
    switch (state) {
        case State::done:
            return "done";
        case State::kept:
            return "kept";
        case State::not_run:
            return "not run";
        case State::dropped:
            return "dropped";
    }
    return "";
}

Json to_json(const Outcome& outcome) {
    return {{"exit", static_cast<int>(outcome.code)},
            {"error", error_json(outcome.error)},
            {"warnings", texts(outcome.warnings)},
            {"faults", texts(outcome.faults)},
            {"found",
             {{"errors", outcome.errors}, {"warnings", outcome.found_warnings}, {"notMeasured", outcome.not_measured}}},
            {"outputs", traces_json(outcome.outputs)},
            {"report", outcome.report}};
}

Result<Outcome> outcome_from_json(const Json& json) {
    try {
        Outcome outcome;
        const int code = json.at("exit").get<int>();
        outcome.code = ExitCode::internal;
        for (const ExitCode known : kCodes)
            if (static_cast<int>(known) == code) outcome.code = known;
        outcome.error = error_from(json.at("error"));
        outcome.warnings = json.at("warnings").get<std::vector<std::string>>();
        outcome.faults = json.at("faults").get<std::vector<std::string>>();
        outcome.errors = json.at("found").at("errors").get<std::size_t>();
        outcome.found_warnings = json.at("found").at("warnings").get<std::size_t>();
        outcome.not_measured = json.at("found").at("notMeasured").get<std::size_t>();
        outcome.outputs = traces_from(json.at("outputs"));
        outcome.report = json.at("report");
        return outcome;
    } catch (const Json::exception& error) {
        return Error{ErrorKind::malformed, std::string("not the outcome of a file: ") + error.what(), "", ""};
    }
}

}  // namespace helixavatar::batch
