// SPDX-License-Identifier: MIT
#include "uri.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace helixavatar::gltf {
namespace {

constexpr int kNoDigit = -1;

constexpr std::array<int, 256> base64_digits() {
    std::array<int, 256> digits{};
    for (int& digit : digits) digit = kNoDigit;
    for (int i = 0; i < 26; ++i) {
        digits['A' + i] = i;
        digits['a' + i] = 26 + i;
    }
    for (int i = 0; i < 10; ++i) digits['0' + i] = 52 + i;
    digits['+'] = digits['-'] = 62;
    digits['/'] = digits['_'] = 63;
    return digits;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return kNoDigit;
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

Error refused(std::string_view uri, const std::string& why) {
    return {ErrorKind::malformed, "the uri \"" + std::string(uri.substr(0, 100)) + "\" " + why, "",
            "put the files that the glTF refers to beside it, or export one .glb"};
}

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
    const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end();
}

}  // namespace

std::string_view uri_scheme(std::string_view uri) {
    const std::size_t colon = uri.find_first_of(":/?#");
    if (colon == std::string_view::npos || uri[colon] != ':') return {};
    const std::string_view scheme = uri.substr(0, colon);
    const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '+' || c == '-' || c == '.'; };
    if (scheme.empty() || !std::isalpha(static_cast<unsigned char>(scheme[0]))) return {};
    return std::all_of(scheme.begin(), scheme.end(), allowed) ? scheme : std::string_view{};
}

std::optional<Bytes> decode_base64(std::string_view text) {
    static constexpr std::array<int, 256> kDigits = base64_digits();
    for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
    if (text.size() % 4 == 1) return std::nullopt;
    Bytes bytes;
    bytes.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t group = 0;
    int bits = 0;
    for (const char c : text) {
        const int digit = kDigits[static_cast<unsigned char>(c)];
        if (digit == kNoDigit) return std::nullopt;
        group = (group << 6 | static_cast<std::uint32_t>(digit)) & 0xFFFFFFU;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes.push_back(static_cast<std::uint8_t>(group >> bits));
    }
    return bytes;
}

std::optional<std::string> decode_percent(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out.push_back(text[i]);
            continue;
        }
        if (i + 2 >= text.size()) return std::nullopt;
        const int high = hex_digit(text[i + 1]);
        const int low = hex_digit(text[i + 2]);
        if (high == kNoDigit || low == kNoDigit) return std::nullopt;
        out.push_back(static_cast<char>(high * 16 + low));
        i += 2;
    }
    return out;
}

std::optional<DataUri> decode_data_uri(std::string_view uri) {
    const std::size_t comma = uri.find(',');
    if (comma == std::string_view::npos || uri_scheme(uri).size() != 4) return std::nullopt;
    std::string_view head = uri.substr(5, comma - 5);
    const std::string_view body = uri.substr(comma + 1);
    const bool base64 = lower(head).ends_with(";base64");
    if (base64) head.remove_suffix(7);
    if (head.ends_with(';')) return std::nullopt;
    DataUri out;
    out.mime = lower(head.substr(0, head.find(';')));
    if (base64) {
        // Base64 itself may be percent-encoded ("%3D" for "="); few files need the second copy.
        std::optional<std::string> plain;
        if (body.find('%') != std::string_view::npos && !(plain = decode_percent(body))) return std::nullopt;
        auto bytes = decode_base64(plain ? std::string_view(*plain) : body);
        if (!bytes) return std::nullopt;
        out.bytes = std::move(*bytes);
    } else {
        const auto text = decode_percent(body);
        if (!text) return std::nullopt;
        out.bytes.assign(text->begin(), text->end());
    }
    return out;
}

std::string data_uri_mime(std::string_view uri) {
    if (uri_scheme(uri) != "data") return {};
    return lower(uri.substr(5, uri.find_first_of(";,", 5) - 5));
}

Result<std::filesystem::path> resolve_uri(std::string_view uri, const std::filesystem::path& folder) {
    if (!uri_scheme(uri).empty()) return refused(uri, "is not relative: nothing is fetched from elsewhere");
    const std::string_view raw = uri.substr(0, uri.find_first_of("?#"));
    auto decoded = decode_percent(raw);
    // A lone percent sign: the exporter wrote the file's name as it is.
    if (!decoded) decoded = std::string(raw);
    if (decoded->empty() || decoded->find('\0') != std::string::npos || decoded->front() == ':')
        return refused(uri, "is no valid relative path");
    if (folder.empty()) return refused(uri, "names a file, and this document was read without a folder");
    // Some exporters write the separators of Windows.
    std::replace(decoded->begin(), decoded->end(), '\\', '/');
    const std::filesystem::path relative(*decoded);
    if (relative.is_absolute()) return refused(uri, "is an absolute path");
    const std::filesystem::path normal = relative.lexically_normal();
    if (normal.begin() != normal.end() && *normal.begin() == "..") return refused(uri, "leaves the folder of the file");
    std::error_code error;
    const std::filesystem::path root = std::filesystem::canonical(folder, error);
    if (error) return refused(uri, "cannot be looked up: " + error.message());
    const std::filesystem::path file = std::filesystem::weakly_canonical(root / normal, error);
    if (error) return refused(uri, "cannot be looked up: " + error.message());
    if (!is_inside(file, root)) return refused(uri, "leaves the folder of the file through a symbolic link");
    return file;
}

}  // namespace helixavatar::gltf
