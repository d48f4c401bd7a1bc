// node test/bench/kit.mjs: the start of the kit for tests of plugins, from the bundle: the first
// demo host and panel of a process, its import included, and twenty panels at once.
import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import path from 'node:path'
import '../../scripts/lib/ensure-node.mjs'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { root } from '../../scripts/lib/paths.mjs'

const ROUNDS = 9
const kit = pathToFileURL(path.join(root, 'out/cli/testing.js'))
const panel = path.join(root, 'resources/demo/panels/practice')

/** Runs in a process of its own; the first times are from its first line. */
const script = `
const readProcessorMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
const begun = performance.now()
const { startDemoHost, startPanel } = await import(${JSON.stringify(kit.href)})
const imported = performance.now()
const importedProcessor = readProcessorMs()
const host = await startDemoHost()
const panel = await startPanel({ panel: ${JSON.stringify(panel)}, host })
const started = performance.now()
const startedProcessor = readProcessorMs()
await (await fetch(new URL('/bridge/v1/status', panel.url))).text()
const manyBegun = performance.now()
const panels = await Promise.all(Array.from({ length: 20 }, () => startPanel({ panel: ${JSON.stringify(panel)} })))
const many = performance.now() - manyBegun
await Promise.all([panel, ...panels].map((running) => running.close()))
await host.close()
console.log(JSON.stringify({ imported: imported - begun, started: started - imported, many, importedProcessor,
  startedProcessor: startedProcessor - importedProcessor }))
`

ensureBuilt('cli')
const runs = Array.from({ length: ROUNDS }, () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
})
const median = (name) => Math.round(runs.map((run) => run[name]).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)])
process.stdout.write(
  `Testing kit: import ${median('imported')} ms (with the start of Node ${median('importedProcessor')} ms of processor), first demo host and panel ${median('started')} ms (${median('startedProcessor')} ms of processor), twenty panels with a demo host each ${median('many')} ms (medians of ${ROUNDS} processes).\n`,
)
