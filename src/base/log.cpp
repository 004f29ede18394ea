// SPDX-License-Identifier: MIT
#include <helixavatar/base/log.hpp>

#include <cstdlib>
#include <memory>
#include <string>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

namespace helixavatar::log {
namespace {

bool as_json = false;

std::shared_ptr<spdlog::logger>& logger() {
    static std::shared_ptr<spdlog::logger> instance = [] {
        auto made = std::make_shared<spdlog::logger>(
            "helixavatar", std::make_shared<spdlog::sinks::stderr_color_sink_mt>(std::getenv("NO_COLOR") ||
                                                                                         std::getenv("CI") || !isatty(2)
                                                                                     ? spdlog::color_mode::never
                                                                                     : spdlog::color_mode::automatic));
        made->set_pattern("%^%l%$: %v");
        return made;
    }();
    return instance;
}

/// Names come from files: none of them gets to steer the terminal.
std::string printable(std::string_view message) {
    std::string text(message);
    for (char& c : text)
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F) c = '?';
    return text;
}

void write(spdlog::level::level_enum level, std::string_view message) {
    if (!as_json) {
        logger()->log(level, "{}", printable(message));
        return;
    }
    const nlohmann::ordered_json line = {{"level", spdlog::level::to_string_view(level).data()}, {"message", message}};
    logger()->log(level, "{}", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

void configure(Level level, bool json) {
    as_json = json;
    logger()->set_pattern(json ? "%v" : "%^%l%$: %v");
    logger()->set_level(level == Level::quiet     ? spdlog::level::err
                        : level == Level::verbose ? spdlog::level::debug
                                                  : spdlog::level::info);
}

void debug(std::string_view message) {
    write(spdlog::level::debug, message);
}
void info(std::string_view message) {
    write(spdlog::level::info, message);
}
void warn(std::string_view message) {
    write(spdlog::level::warn, message);
}
void error(std::string_view message) {
    write(spdlog::level::err, message);
}

}  // namespace helixavatar::log
