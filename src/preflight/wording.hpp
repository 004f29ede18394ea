// SPDX-License-Identifier: MIT
// Numbers and lists as they stand in a sentence.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <helixavatar/base/geometry.hpp>

namespace helixavatar::preflight {

std::string grouped(std::size_t number);         ///< "60,000"
std::string fixed(double number, int decimals);  ///< "22.4"; "-0.0" reads "0.0"
std::string megabytes(std::size_t bytes);        ///< "10.31 MiB"; below 1 MiB in KiB, below 1 KiB in bytes
std::string vector_text(const Vec3& vector);     ///< "[0.02, 0.00, 1.00]"
/// "a, b and c"; after `most` names "and 12 more".
std::string listed(const std::vector<std::string>& names, std::size_t most = 12);
/// The name as one word of a shell command: quoted where a shell would cut or read it.
std::string shell_word(const std::string& name);
/// A fix with its commands made ready to paste: AVATAR becomes `file`, OUT (and AVATAR as an output) a new name beside
/// it
/// ("knight.web.glb" → "knight.fixed.web.glb"), NAME.web.glb the name an import of `file` would have.
std::string addressed(std::string fix, const std::string& file);
std::string plural(std::size_t count, const char* noun);  ///< "1 joint", "3 joints", "2 meshes"

}  // namespace helixavatar::preflight
