// SPDX-License-Identifier: MIT
#include <helixavatar/lod/levels.hpp>
