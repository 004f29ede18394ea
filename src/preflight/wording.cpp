// SPDX-License-Identifier: MIT
#include "preflight/wording.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace helixavatar::preflight {

std::string grouped(std::size_t number) {
    std::string digits = std::to_string(number);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

std::string fixed(double number, int decimals) {
    if (!std::isfinite(number)) return "unmeasurable";
    char text[352];
    std::snprintf(text, sizeof text, "%.*f", decimals, number);
    std::string out = text;
    if (out.find_first_not_of("-0.") == std::string::npos && out[0] == '-') out.erase(0, 1);
    return out;
}

std::string megabytes(std::size_t bytes) {
    if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    if (bytes < 1048576) return fixed(static_cast<double>(bytes) / 1024, 1) + " KiB";
    return fixed(static_cast<double>(bytes) / 1048576, 2) + " MiB";
}

std::string vector_text(const Vec3& vector) {
    return "[" + fixed(vector.x(), 2) + ", " + fixed(vector.y(), 2) + ", " + fixed(vector.z(), 2) + "]";
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
    std::string out;
    const std::size_t shown = names.size() > most ? most : names.size();
    for (std::size_t i = 0; i < shown; ++i) {
        if (i > 0) out += i + 1 == names.size() ? " and " : ", ";
        out += names[i];
    }
    if (shown < names.size()) out += " and " + std::to_string(names.size() - shown) + " more";
    return out;
}

std::string shell_word(const std::string& name) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+@:,";
    if (!name.empty() && name.find_first_not_of(plain) == std::string::npos) return name;
    std::string out = "'";
    for (const char c : name) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

namespace {

void replace_word(std::string& text, std::string_view word, const std::string& by) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
        text.replace(at, word.size(), by);
}

}  // namespace

std::string addressed(std::string fix, const std::string& file) {
    const std::string shown = file == "-" ? "avatar.web.glb" : file;
    const std::size_t slash = shown.find_last_of('/');
    const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
    const std::string stem = shown.substr(0, std::min(shown.find('.', name + 1), shown.size()));
    const bool imports_itself = fix.find("import AVATAR -o OUT") != std::string::npos;
    replace_word(fix, "-o AVATAR", "-o OUT");
    // The fix of a fix: an input is never the output.
    const std::string fixed_name =
        stem + (stem + ".fixed.web.glb" == shown ? ".fixed-again.web.glb" : ".fixed.web.glb");
    replace_word(fix, "-o OUT", "-o " + shell_word(fixed_name));
    replace_word(fix, "-o NAME.web.glb", "-o " + shell_word(stem + ".web.glb"));
    replace_word(fix, " AVATAR ", " " + shell_word(shown) + " ");
    if (imports_itself) fix += " It rebuilds the levels; apply dynamics again afterwards.";
    if (fix.find("import SOURCE") != std::string::npos)
        fix += " SOURCE is the original file (FBX, GLB, VRM) that this avatar was made from.";
    return fix;
}

std::string plural(std::size_t count, const char* noun) {
    std::string out = grouped(count) + " " + noun;
    if (count == 1) return out;
    if (out.size() > 6 && out.compare(out.size() - 6, 6, "vertex") == 0) return out.substr(0, out.size() - 2) + "ices";
    const char last = out.back();
    if (out.size() >= 2 && (last == 'h' || last == 's' || last == 'x')) return out + "es";
    return out + "s";
}

}  // namespace helixavatar::preflight
