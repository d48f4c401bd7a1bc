/**
 * Creates a rule for the imports of one room (CONTRIBUTING.md draws the rooms). The rule forbids
 * everything outside its list.
 */
const allowOnly = (name, from, allowed, extra = {}) => ({
  name,
  severity: 'error',
  from: { path: from, ...extra },
  to: { pathNot: allowed },
})

/** Limits a rule to imports of values; types may come from anywhere. */
const forValueImports = (rule) => ({ ...rule, to: { ...rule.to, dependencyTypesNot: ['type-only'] } })

/** Forbids each folder of a room to import the folders after it in the list. */
const forbidUpwardImports = (room, folders) =>
  folders.slice(0, -1).map((folder, index) => ({
    name: `${folder}-below-${folders[index + 1]}`,
    severity: 'error',
    from: { path: `${room}${folder}/` },
    to: { path: folders.slice(index + 1).map((upper) => `${room}${upper}/`) },
  }))

// In these rooms packages are free unless a rule says otherwise; `node:` modules and electron are
// listed where they are allowed.
const anyPackage = '^node_modules/(?!electron/)'
const nodeBuiltins =
  '^(node:)?(assert|buffer|child_process|crypto|dns|events|fs|http|https|module|net|os|path|perf_hooks|process|readline|stream|string_decoder|timers|tls|url|util|v8|worker_threads|zlib|sqlite)(/|$)'

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-folder-cycles',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(cli|electron|renderer|shared|testing)' },
      to: { circular: true },
    },
    // The folders of one service are listed from the lowest to the highest.
    ...forbidUpwardImports('^electron/services/bridge/', ['wire', 'client', 'connection', 'reading']),
    ...forbidUpwardImports('^electron/services/operations/', ['outcome', 'records', 'watch', 'send', 'lab']),
    ...forbidUpwardImports('^electron/services/panel/', ['call', 'page', 'overrides', 'policy', 'site']),
    ...forbidUpwardImports('^electron/services/traffic/', ['disk', 'recorded']),
    ...forbidUpwardImports('^electron/demo-host/', ['library', 'media', 'state', 'routes']),
    // Scripts run the tests and the benchmarks.
    { name: 'not-to-test', severity: 'error', from: { pathNot: '^(test|scripts)/' }, to: { path: '^test/' } },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^electron$' } },
    allowOnly('shared', '^shared/', ['^shared/', '^node_modules/zod/']),
    // What only Node's side uses is in electron/core.
    {
      name: 'shared-serves-the-page',
      severity: 'error',
      from: { path: '^(renderer/|electron/preload\\.ts$)' },
      to: { path: '^shared/', pathNot: '\\.d\\.ts$', reachable: false },
    },
    // The page's pure logic uses neither Vue nor a store nor the DOM.
    allowOnly('renderer-model', '^renderer/model/', ['^renderer/model/', '^shared/', '^node_modules/zod/']),
    // Components are generic: one that knows the host's contract, or our own, is a pane.
    allowOnly('renderer-components', '^renderer/(components|styles)/', [
      '^renderer/(components|styles)/',
      '^renderer/model/(json|tree|format)/',
      '^shared/(json/|format/|errors\\.ts$)',
      anyPackage,
    ]),
    // Panes and places use the wrappers, which add names, roles and keys.
    {
      name: 'naive-ui-in-components',
      severity: 'error',
      from: { pathNot: '^renderer/components/' },
      to: { path: '^node_modules/naive-ui/' },
    },
    allowOnly('renderer-transport', '^renderer/transport/', ['^renderer/transport/', '^shared/', anyPackage]),
    allowOnly('renderer-ipc', '^renderer/ipc/', ['^renderer/(ipc|transport)/', '^shared/', anyPackage]),
    allowOnly('renderer-workers', '^renderer/workers/', ['^renderer/(workers|model)/', '^shared/', anyPackage]),
    allowOnly('renderer-stores', '^renderer/stores/', [
      '^renderer/(stores|ipc|workers|model)/',
      '^shared/',
      anyPackage,
    ]),
    allowOnly('renderer-panes', '^renderer/panes/', [
      '^renderer/(panes|stores|components|styles|i18n|model)/',
      '^shared/',
      anyPackage,
    ]),
    allowOnly('renderer-places', '^renderer/places/([^/]+)/', [
      '^renderer/places/$1/',
      // The type declarations of the contract are exported as text.
      '^resources/bridge\\.d\\.ts$',
      '^renderer/(panes|stores|components|styles|i18n|model)/',
      '^shared/',
      anyPackage,
    ]),
    allowOnly('renderer', '^renderer/(?!recording-page/)', [
      '^renderer/',
      '^shared/',
      '^resources/bridge\\.d\\.ts$',
      anyPackage,
    ]),
    // The page of a recording has no service: it reads the file in it with the code of files.
    allowOnly('renderer-recording-page', '^renderer/recording-page/', [
      '^renderer/(recording-page|panes|places|components|styles|i18n|model)/',
      '^electron/(recording-page/|core/snapshots/|recording-file/(recording-reader|verification)\\.ts$|services/(bridge/client/request-row|operations/outcome/data-effect|traffic/traffic-filter)\\.ts$)',
      '^shared/',
      anyPackage,
    ]),
    // It runs in a browser, and so does what it imports: none of it reaches Node.js.
    allowOnly('recording-page', '^electron/recording-page/', [
      '^electron/(recording-page|core/recordings)/',
      '^electron/recording-file/(recording-reader|zip-reader|zip-records)\\.ts$',
      '^shared/',
    ]),
    {
      name: 'recording-page-reaches-no-node',
      severity: 'error',
      from: {
        path: '^electron/(recording-page/|core/snapshots/snapshot-|recording-file/verification\\.ts$|services/(bridge/client/request-row|operations/outcome/data-effect|traffic/traffic-filter)\\.ts$)',
      },
      to: { path: nodeBuiltins, reachable: true },
    },
    // It computes: no input or output, no service, no transport.
    allowOnly('core', '^electron/core/', [
      '^electron/core/',
      '^shared/',
      '^node_modules/zod/',
      '^(node:)?(crypto|util)$',
    ]),
    allowOnly('services', '^electron/services/', [
      '^electron/(services|system|recording-file|core)/',
      '^shared/',
      anyPackage,
      nodeBuiltins,
    ]),
    // Every process here may use these helpers, whichever service or transport it belongs to.
    allowOnly('system', '^electron/system/', ['^electron/system/', '^shared/', nodeBuiltins]),
    // Recording files are written and read by services, the demo host and the command line alike.
    allowOnly('recording-file', '^electron/recording-file/', [
      '^electron/(recording-file|system|core)/',
      '^shared/',
      anyPackage,
      nodeBuiltins,
    ]),
    allowOnly('handlers', '^electron/handlers/', [
      '^electron/(handlers|services|core)/',
      '^shared/',
      anyPackage,
      nodeBuiltins,
    ]),
    allowOnly('page', '^electron/page/', ['^electron/page/', '^shared/', anyPackage, nodeBuiltins]),
    // Types may come from anywhere, because the shell implements ports that services declare.
    forValueImports(
      allowOnly('desktop', '^electron/desktop/', [
        '^electron/(desktop|handlers|page|system)/',
        '^shared/',
        anyPackage,
        nodeBuiltins,
        '^electron$',
        '^node_modules/electron/',
      ]),
    ),
    allowOnly('browser-host', '^electron/browser-host/', [
      '^electron/(browser-host|handlers|page|system|core)/',
      '^shared/',
      anyPackage,
      nodeBuiltins,
    ]),
    allowOnly('demo-host', '^electron/demo-host/', [
      '^electron/(demo-host|system|recording-file|core)/',
      '^shared/',
      anyPackage,
      nodeBuiltins,
    ]),
    allowOnly('composition', '^electron/[a-z]+-composition\\.ts$', [
      '^electron/(config\\.ts|[a-z]+-composition\\.ts|services/|handlers/|demo-host/|recording-file/)',
      '^shared/',
      anyPackage,
      nodeBuiltins,
    ]),
    allowOnly('main', '^electron/main\\.ts$', [
      '^electron/((?:app|switchable)-composition\\.ts|config\\.ts|desktop/|browser-host/panel-listener\\.ts$|demo-host/run\\.ts$)',
      '^shared/',
      anyPackage,
      nodeBuiltins,
      '^electron$',
      '^node_modules/electron/',
    ]),
    allowOnly('serve', '^electron/serve\\.ts$', [
      '^electron/((?:app|switchable)-composition\\.ts|config\\.ts|browser-host/|system/output\\.ts$)',
      '^shared/',
      anyPackage,
      nodeBuiltins,
    ]),
    // The command line uses the same composition root as both transports; it imports nothing of the
    // page and nothing of Electron, opens no database, and uses recording files by their entry.
    allowOnly('cli', '^cli/', [
      '^cli/',
      '^electron/(app-composition\\.ts|config\\.ts|demo-host/(?:usage|recorded/(?:recorded-host|repeated-requests))\\.ts|services/agents/client\\.ts|services/files/exposure\\.ts|browser-host/panel-listener\\.ts|services/console/collections\\.ts|services/traffic/recorded/|services/snapshots/stored-snapshots\\.ts|services/recordings/(?:reduction/(?:smallest-case|repeated-findings)|run-comparisons|run-reader)\\.ts|recording-file/index\\.ts|core/|system/(?:output|program-exits|command-names|regular-file|user-folder)\\.ts)',
      '^shared/',
      anyPackage,
      nodeBuiltins,
    ]),
    // The kit for tests of plugins is a transport too, whose pages are panels.
    allowOnly('testing', '^testing/', [
      '^testing/',
      '^electron/(app-composition\\.ts|config\\.ts|browser-host/panel-listener\\.ts|demo-host/|recording-file/index\\.ts|core/|handlers/dispatcher\\.ts)',
      '^shared/',
      '^node_modules/(?:@playwright/test|zod)/',
      nodeBuiltins,
    ]),
    allowOnly('preload', '^electron/preload\\.ts$', [
      '^electron/desktop/channels\\.ts$',
      '^electron$',
      '^node_modules/electron/',
    ]),
    {
      name: 'serve-reaches-no-electron',
      severity: 'error',
      from: { path: '^electron/serve\\.ts$' },
      to: { path: '^(electron$|node_modules/electron/)', reachable: true },
    },
    {
      name: 'cli-reaches-no-electron',
      severity: 'error',
      from: { path: '^(cli|testing)/' },
      to: { path: '^(electron$|node_modules/electron/)', reachable: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
    exclude: { path: '\\.(css|json|svg)$' },
  },
}
