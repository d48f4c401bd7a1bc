// node test/bench/wire/main.mjs [--nodes N] [--rounds N] [--against CHECKOUT]: the load of a large
// tree alone, one build or two in turn.
import { chromium } from '@playwright/test'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { chromiumArgs, ensureChromium } from '../../../scripts/lib/chromium.mjs'
import { root } from '../../../scripts/lib/paths.mjs'
import { measureLoads } from './load.mjs'
import { startHost } from './start-host.mjs'

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '3' },
    against: { type: 'string' },
    threads: { type: 'boolean', default: false },
  },
})
const token = 'mnb0.bench-0123456789-0123456789'
const tokenFile = path.join(mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-')), 'token')
writeFileSync(tokenFile, token, { mode: 0o600 })
const probe = readFileSync(path.join(root, 'test/bench/page-probe.js'), 'utf8')
const executablePath = await ensureChromium()
const launch = () => chromium.launch({ executablePath, args: [...chromiumArgs, '--js-flags=--expose-gc'] })
const nodes = Number(values.nodes)
const host = await startHost(nodes, token)
const builds = [
  ...(values.against ?? '')
    .split(',')
    .filter(Boolean)
    .map((from) => ({ name: path.basename(from), from: path.resolve(from) })),
  { name: 'this', from: root },
]
const measured = await measureLoads({
  builds,
  rounds: Number(values.rounds),
  nodes,
  token,
  host,
  launch,
  probe,
  tokenFile,
})
host.stop()
for (const { runs, ...build } of measured) {
  const { name, threads, processes, afterwardsThreads, ...figures } = build
  const rounded = (table) =>
    Object.fromEntries(
      Object.entries(table)
        .filter(([, ms]) => ms >= 5)
        .map(([key, ms]) => [key, Math.round(ms)]),
    )
  const floors = Object.entries({ ...processes, afterwards: figures.afterwards }).map(
    ([process, ms]) => `${process} ${(ms / figures.floorProcessor).toFixed(2)}`,
  )
  console.log(
    name,
    `${runs.length} loads`,
    { ...figures, ratio: figures.ratio.toFixed(2) },
    rounded(processes),
    `floors: ${floors.join(', ')}`,
  )
  if (values.threads) console.log(rounded(threads), rounded(afterwardsThreads))
}
