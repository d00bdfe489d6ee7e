// A plugin of a version to come.
#include "minivm_plugin.h"

const Plugin minivm_plugin = {PLUGIN_VERSION + 1, sizeof(PluginApi), NULL, NULL};
