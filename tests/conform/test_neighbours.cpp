// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <helixavatar/base/place_numbers.hpp>

#include "conform/neighbours.hpp"

using namespace helixavatar;
using namespace helixavatar::conform;

namespace {

std::vector<std::uint32_t> list(const Neighbours& all, std::size_t vertex) {
    const auto of = all.of(vertex);
    return {of.begin(), of.end()};
}

}  // namespace

TEST_CASE("Neighbours are listed once, in rising order, and no vertex is its own") {
    // Two triangles over one edge, one of them twice, one without area, and two corners that are left over.
    const std::vector<std::uint32_t> corners = {3, 1, 0, 0, 1, 2, 0, 1, 2, 4, 4, 3, 5, 0};
    const Neighbours all = find_neighbours(6, corners);
    REQUIRE(all.size() == 6);
    CHECK(list(all, 0) == std::vector<std::uint32_t>{1, 2, 3});
    CHECK(list(all, 1) == std::vector<std::uint32_t>{0, 2, 3});
    CHECK(list(all, 2) == std::vector<std::uint32_t>{0, 1});
    CHECK(list(all, 3) == std::vector<std::uint32_t>{0, 1, 4});
    CHECK(list(all, 4) == std::vector<std::uint32_t>{3});
    CHECK(list(all, 5).empty());
    const Neighbours triangles = find_triangles(6, corners);
    CHECK(list(triangles, 0) == std::vector<std::uint32_t>{0, 1, 2});
    CHECK(list(triangles, 3) == std::vector<std::uint32_t>{0, 3});
    CHECK(list(triangles, 4) == std::vector<std::uint32_t>{3, 3});
}

TEST_CASE("Places are numbered in the order of their first naming, and minus zero is zero") {
    PlaceNumbers<3> numbers(1000);
    CHECK(numbers(place_bits(Vec3f(1, 2, 3))) == 0);
    CHECK(numbers(place_bits(Vec3f(0, 0, 0))) == 1);
    CHECK(numbers(place_bits(Vec3f(-0.0F, 0, -0.0F))) == 1);
    CHECK(numbers(place_bits(Vec3f(1, 2, 3))) == 0);
    for (int i = 0; i < 900; ++i) CHECK(numbers(place_bits(Vec3f(static_cast<float>(i), 7, 7))) == 2U + i);
    CHECK(numbers.size() == 902);
}
