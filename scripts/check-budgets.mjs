// Counts the lines of the product by area. It fails if an area has more than its budget in
// docs/architecture.md, or if a file belongs to no area.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Folders, and beginnings of file names. A file belongs to the longest one; `/*` is one folder. */
const areas = {
  recordings: {
    shared: 'ipc/recordings recordings/',
    electron:
      'core/add-to-group core/recordings/ core/redaction/ handlers/recorded-session handlers/recordings recording-file/ recording-page/ services/recordings/',
    renderer:
      'panes/comparison/ panes/recordings/ places/recordings/ places/runs/ recording-page/ stores/past-run stores/recordings stores/run-comparison',
  },
  'panel lab': {
    shared: 'ipc/breakpoints ipc/lab ipc/panel panel/',
    electron:
      'browser-host/panel-listener core/panel/ desktop/panel-frame handlers/panel services/breakpoints/ services/panel/',
    testing: '',
    renderer:
      'model/panel/ panes/breakpoints/ panes/call-match/ panes/panel/ places/lab/ places/panel/ stores/breakpoints stores/overrides stores/panel',
  },
  browsing: {
    shared: 'cards ipc/content ipc/uploads',
    electron: 'handlers/content services/media/ services/uploads/',
    renderer:
      'components/media/ model/cards/ model/excerpts/ model/lens/ model/responses/ panes/LibraryTabs panes/StudySetTabs panes/bands/ panes/card/ panes/content/ panes/documents/ panes/upload/ places/bundles/ places/card/ places/decks/ places/documents/ places/excerpts/ places/hashtags/ places/lens/ places/library/ places/outline/ places/pages/ places/palette/ places/print/ places/search/ places/sub-maps/ stores/bundle-files stores/cards stores/content stores/coverage stores/documents stores/id-lookup stores/library stores/names stores/node-color stores/palette stores/retained-ids stores/sub-maps stores/swatches stores/upload',
  },
  'host client and contract table': {
    shared: 'bridge/ ipc/bridge ipc/connection ipc/listing ipc/profiles json/',
    electron:
      'core/json/ core/library-export core/node-abort core/node-version handlers/listing-reader services/bridge/ services/discovery/ services/mask/ services/profiles/ services/redactor services/secret services/value-budget services/vault/',
    renderer:
      'panes/connection/ panes/routes/ places/connect/ places/host/ stores/connect stores/host stores/profiles stores/read-in-parts stores/recent-responses stores/request-batcher stores/resource stores/service-state workers/byte-frame workers/list workers/parse workers/response-parser',
  },
  'shell and components': {
    shared:
      'errors external-link format/ globals.d ipc/app ipc/index ipc/method-definition ipc/settings ipc/updates licenses workers/',
    electron:
      'handlers/dispatcher handlers/index handlers/app-ports services/ask-queue services/bus services/files/ services/heap services/notices services/settings/ services/updates/',
    renderer:
      'App appearance components/ fault-handlers i18n/ ipc/ main model/format/ panes/* places/index places/settings/ public/ router shell/ startup stores/app stores/define-store stores/errors stores/external-links stores/follow-mode stores/guide stores/key-bindings stores/licenses stores/notices stores/page-faults stores/place-definition stores/poll-delay stores/settings stores/shortcuts stores/tour stores/ui stores/updates styles/ transport/ workers/guide workers/page-worker workers/serve-page',
  },
  traffic: {
    shared: 'ipc/client-proxy ipc/traffic traffic/',
    electron: 'handlers/traffic services/client-proxy/ services/traffic/ traffic-composition',
    renderer:
      'model/traffic/ panes/callers/ panes/exchange/ places/traffic/ stores/callers stores/client-proxy stores/exchange stores/traffic workers/body-comparison workers/compare',
  },
  'writes and operations': {
    shared: 'ipc/journal ipc/operations operations/',
    electron: 'handlers/operations operations-composition services/journal/ services/operations/',
    renderer:
      'model/forms/ panes/write/ places/operations/ stores/data-changes stores/finished-operations stores/operation',
  },
  contract: {
    shared: 'contract/ ipc/contract',
    electron: 'core/contract/ core/sarif/ services/contract/',
    renderer: 'panes/contract/ places/contract/ stores/deviations stores/learned-schemas',
  },
  'command line and agents': {
    shared: 'ipc/agents',
    electron: 'core/agent-socket services/agents/',
    cli: '',
    renderer: 'stores/agents',
  },
  'demo host': {
    electron: 'demo-host/',
  },
  tree: {
    renderer: 'components/grid/ components/tree/ model/tree/ places/tree/ stores/tree workers/tree',
  },
  snapshots: {
    shared: 'ipc/snapshots snapshots/',
    electron: 'core/snapshots/ services/snapshots/',
    renderer: 'places/changes/ stores/snapshots',
  },
  map: {
    renderer: 'model/map/ panes/map/ stores/map workers/map',
  },
  'desktop and browser host': {
    electron:
      'app-composition base-composition bridge-composition browser-host/ config desktop/ main page/ preload serve switchable-composition system/',
  },
  console: {
    shared: 'collections/ ipc/console',
    electron: 'services/console/',
    renderer:
      'components/json/ model/console/ model/json/ panes/assertions/ places/console/ stores/collections stores/console',
  },
  findings: {
    shared: 'ipc/findings protocol/',
    electron: 'core/protocol/ services/findings/',
    renderer: 'panes/findings/ places/findings/ stores/findings',
  },
}

const prefixes = Object.entries(areas)
  .flatMap(([area, rooms]) =>
    Object.entries(rooms).flatMap(([room, names]) =>
      names.split(' ').map((name) => ({ area, prefix: `${room}/${name}` })),
    ),
  )
  .sort((first, second) => second.prefix.length - first.prefix.length)
const lines = Object.fromEntries(Object.keys(areas).map((area) => [area, 0]))
const problems = []
for (const file of globSync('{shared,electron,cli,testing,renderer}/**/*.{ts,vue,css}')) {
  const posixFile = file.replaceAll(path.sep, '/')
  const entry = prefixes.find(({ prefix }) =>
    prefix.endsWith('/*') ? path.posix.dirname(posixFile) === prefix.slice(0, -2) : posixFile.startsWith(prefix),
  )
  if (entry) lines[entry.area] += readFileSync(file, 'utf8').split('\n').length - 1
  else problems.push(`${posixFile} belongs to no area of scripts/check-budgets.mjs.`)
}
const table = readFileSync('docs/architecture.md', 'utf8')
for (const [area, count] of Object.entries(lines)) {
  const row = new RegExp(`^\\| ${area} +\\| +[\\d,]+ +\\| +([\\d,]+) +\\|`, 'm').exec(table)
  const budget = Number(row?.[1].replaceAll(',', '') ?? 0)
  if (process.argv.includes('--print')) console.log(`${area}: ${count} of ${budget}`)
  if (count > budget)
    problems.push(`The area "${area}" has ${count} lines; its budget in docs/architecture.md is ${budget}.`)
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
