// SPDX-License-Identifier: MIT
// tinygltf's functions, compiled here and not taken from a library: libdraco brings a tinygltf of its own, of another
// layout, and which of the two a linker picks depends on the order of its arguments.
#define TINYGLTF_IMPLEMENTATION
#define TINYGLTF_NO_EXTERNAL_IMAGE
#include <tiny_gltf.h>
