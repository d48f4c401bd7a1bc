// npm run bench:faults -- [operations] [seed]: what random faults do to writes, checked against the
// host's log. Exits 1 if a record contradicts it. Figures go into the README.md here.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { runFaults } from '../support/fault-run/run.ts'

const operations = Number(process.argv[2] ?? 1_000)
const seed = Number(process.argv[3] ?? 20_260)
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-faults-'))
const run = await runFaults({
  dataDir,
  operations,
  seed,
  hostRestarts: Math.ceil(operations / 80),
  appRestarts: Math.ceil(operations / 200),
})
rmSync(dataDir, { recursive: true, force: true })

const list = (counts) =>
  Object.entries(counts)
    .map(([name, n]) => `${n} ${name}`)
    .join(', ')
const times = (text) => run.problems.filter((problem) => problem.includes(text)).length
const text = `## Faults

\`npm run bench:faults\` (seed ${seed}): ${run.records} operations (titles, bands, hashtags, pencil commits, session commands), 8 at a time, in ${Math.round(run.seconds)} s;
every tenth clicked twice, every tenth with the page gone in the middle. Of ${run.requests} requests faults hit ${Object.values(run.faults).reduce((a, b) => a + b, 0)}: ${list(run.faults)}.
The host was restarted ${run.hostRestarts} times and the app ${run.appRestarts} times in between. The host received ${run.received} writes and executed ${run.executed} of them.

| | |
|---|---|
| sent twice | ${times(' times')} |
| received by the host, without a record | ${times('has no record')} |
| records that are not true to the host's log | ${run.problems.length} |

States afterwards: ${list(run.states)}.
Verdicts, each held against what the host executed: ${list(run.verdicts)}.
`
process.stdout.write(`${text}${run.problems.slice(0, 20).join('\n')}\n`)
const file = fileURLToPath(new URL('README.md', import.meta.url))
const readme = readFileSync(file, 'utf8')
const index = readme.indexOf('## Faults')
writeFileSync(file, `${(index < 0 ? readme : readme.slice(0, index)).trimEnd()}\n\n${text}`)
process.exit(run.problems.length === 0 ? 0 : 1)
