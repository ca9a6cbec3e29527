#include "studio_page.h"

// C23 has it, and clang since version 19 in any C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char answer_js[] = {
#embed "Page/answer.js"
};
static const unsigned char api_js[] = {
#embed "Page/api.js"
};
static const unsigned char app_js[] = {
#embed "Page/app.js"
};
static const unsigned char compare_js[] = {
#embed "Page/compare.js"
};
static const unsigned char diff_js[] = {
#embed "Page/diff.js"
};
static const unsigned char dom_js[] = {
#embed "Page/dom.js"
};
static const unsigned char formed_js[] = {
#embed "Page/formed.js"
};
static const unsigned char icon_svg[] = {
#embed "Page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "Page/index.html"
};
static const unsigned char keep_js[] = {
#embed "Page/keep.js"
};
static const unsigned char models_js[] = {
#embed "Page/models.js"
};
static const unsigned char style_css[] = {
#embed "Page/style.css"
};

static const struct studio_file files[] = {
    {"answer.js", answer_js, sizeof answer_js},
    {"api.js", api_js, sizeof api_js},
    {"app.js", app_js, sizeof app_js},
    {"compare.js", compare_js, sizeof compare_js},
    {"diff.js", diff_js, sizeof diff_js},
    {"dom.js", dom_js, sizeof dom_js},
    {"formed.js", formed_js, sizeof formed_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"keep.js", keep_js, sizeof keep_js},
    {"models.js", models_js, sizeof models_js},
    {"style.css", style_css, sizeof style_css},
    {NULL, NULL, 0},
};

const struct studio_file *studio_first_file(void) { return files; }
