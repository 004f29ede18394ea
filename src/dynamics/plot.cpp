// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <helixavatar/dynamics/probe.hpp>

namespace helixavatar::dynamics {
namespace {

constexpr double kWidth = 720, kPanelHeight = 200, kLeft = 48, kTop = 28, kRight = 160, kBottom = 28;
constexpr double kPlotWidth = kWidth - kLeft - kRight, kPlotHeight = kPanelHeight - kTop - kBottom;
// Told apart by eyes that do not tell red from green, too.
constexpr std::array<const char*, 8> kColours{"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                              "#56b4e9", "#d55e00", "#7a6a00", "#555555"};
constexpr std::size_t kMostNamed = 10;  // chains in a legend

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", value);
    return text;
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else
            out += c;
    }
    return out;
}

std::string text_at(double x, double y, const std::string& text, const char* anchor = "start") {
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" + escaped(text) +
           "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const char* style) {
    return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
           "\" " + style + "/>\n";
}

std::string panel_svg(const PlotPanel& panel, double top) {
    double most = 1;
    for (std::size_t c = 0; c < panel.swings.size(); ++c) {
        most = std::max(most, panel.swings[c].max);
        if (panel.limits[c] < 90) most = std::max(most, panel.limits[c] * 1.1);
    }
    const auto y_of = [&](double degrees) { return top + kTop + kPlotHeight * (1 - degrees / most); };
    std::string svg = text_at(kLeft, top + 18, panel.title);
    // Steps of 1, 2 or 5 times a power of ten, four to nine of them.
    double step = std::pow(10, std::floor(std::log10(most / 4)));
    for (const double factor : {5.0, 2.0})
        if (most / (step * factor) >= 4) {
            step *= factor;
            break;
        }
    for (double degrees = 0; degrees <= most + 1e-9; degrees += step) {
        svg += line(kLeft, y_of(degrees), kLeft + kPlotWidth, y_of(degrees), "stroke=\"#ddd\"");
        char label[16];
        std::snprintf(label, sizeof label, "%g\xC2\xB0", degrees);
        svg += text_at(kLeft - 6, y_of(degrees) + 4, label, "end");
    }
    for (double t = 0; t <= panel.seconds + 1e-9; t += std::max(1.0, std::round(panel.seconds / 8))) {
        char label[16];
        std::snprintf(label, sizeof label, "%g s", t);
        svg += text_at(kLeft + kPlotWidth * t / panel.seconds, top + kPanelHeight - 10, label, "middle");
    }
    for (std::size_t c = 0; c < panel.swings.size(); ++c) {
        const std::string colour = kColours[c % kColours.size()];
        const std::vector<double>& samples = panel.swings[c].samples;
        std::string points;
        for (std::size_t i = 0; i < samples.size(); ++i)
            points += number(kLeft + kPlotWidth * static_cast<double>(i) / static_cast<double>(samples.size())) + "," +
                      number(y_of(samples[i])) + " ";
        svg += "<polyline fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"1.2\" points=\"" + points + "\"/>\n";
        if (panel.limits[c] < 90)
            svg += line(kLeft, y_of(panel.limits[c]), kLeft + kPlotWidth, y_of(panel.limits[c]),
                        ("stroke=\"" + colour + "\" stroke-dasharray=\"3 3\"").c_str());
        if (c >= kMostNamed) continue;
        const double y = top + kTop + 14 * static_cast<double>(c) + 6;
        svg += line(kLeft + kPlotWidth + 10, y - 4, kLeft + kPlotWidth + 26, y - 4,
                    ("stroke=\"" + colour + "\" stroke-width=\"2\"").c_str());
        svg += text_at(kLeft + kPlotWidth + 30, y, panel.swings[c].chain);
    }
    return svg;
}

}  // namespace

std::string plot_svg(const std::vector<PlotPanel>& panels) {
    const double height = kPanelHeight * static_cast<double>(panels.size());
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(kWidth) + "\" height=\"" +
                      number(height) + "\" font-family=\"sans-serif\" font-size=\"11\">\n" +
                      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    for (std::size_t i = 0; i < panels.size(); ++i) svg += panel_svg(panels[i], kPanelHeight * static_cast<double>(i));
    return svg + "</svg>\n";
}

}  // namespace helixavatar::dynamics
