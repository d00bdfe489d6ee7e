// A plugin that was compiled when there were more functions in the table.
#include "minivm_plugin.h"

const Plugin minivm_plugin = {PLUGIN_VERSION, sizeof(PluginApi) + 8, NULL, NULL};
