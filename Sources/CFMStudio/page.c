#include "studio_page.h"

// C23 has it, and clang since version 19 in any C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char adapters_js[] = {
#embed "Page/adapters.js"
};
static const unsigned char answer_js[] = {
#embed "Page/answer.js"
};
static const unsigned char api_js[] = {
#embed "Page/api.js"
};
static const unsigned char app_js[] = {
#embed "Page/app.js"
};
static const unsigned char chart_js[] = {
#embed "Page/chart.js"
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
static const unsigned char drop_js[] = {
#embed "Page/drop.js"
};
static const unsigned char findings_js[] = {
#embed "Page/findings.js"
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
static const unsigned char jobs_js[] = {
#embed "Page/jobs.js"
};
static const unsigned char keep_js[] = {
#embed "Page/keep.js"
};
static const unsigned char models_js[] = {
#embed "Page/models.js"
};
static const unsigned char sets_js[] = {
#embed "Page/sets.js"
};
static const unsigned char sheet_js[] = {
#embed "Page/sheet.js"
};
static const unsigned char style_css[] = {
#embed "Page/style.css"
};
static const unsigned char training_js[] = {
#embed "Page/training.js"
};

static const struct studio_file files[] = {
    {"adapters.js", adapters_js, sizeof adapters_js},
    {"answer.js", answer_js, sizeof answer_js},
    {"api.js", api_js, sizeof api_js},
    {"app.js", app_js, sizeof app_js},
    {"chart.js", chart_js, sizeof chart_js},
    {"compare.js", compare_js, sizeof compare_js},
    {"diff.js", diff_js, sizeof diff_js},
    {"dom.js", dom_js, sizeof dom_js},
    {"drop.js", drop_js, sizeof drop_js},
    {"findings.js", findings_js, sizeof findings_js},
    {"formed.js", formed_js, sizeof formed_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"jobs.js", jobs_js, sizeof jobs_js},
    {"keep.js", keep_js, sizeof keep_js},
    {"models.js", models_js, sizeof models_js},
    {"sets.js", sets_js, sizeof sets_js},
    {"sheet.js", sheet_js, sizeof sheet_js},
    {"style.css", style_css, sizeof style_css},
    {"training.js", training_js, sizeof training_js},
    {NULL, NULL, 0},
};

const struct studio_file *studio_first_file(void) { return files; }
