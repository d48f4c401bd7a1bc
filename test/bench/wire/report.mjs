import { cpus } from 'node:os'
import { readFileSync, writeFileSync } from 'node:fs'
import { checked, checkedGroups, toStoredResult } from './last.mjs'

const round = (value) => (value >= 10 ? Math.round(value) : Math.round(value * 10) / 10)
const ms = (value) => `${Math.round(value).toLocaleString('en-US')} ms`
const times = (value) => `${value.toFixed(2)}x`
const floors = (value) => `${value.toFixed(2)} floors`
const verdict = (isMet) => (isMet ? 'held' : '**missed**')
const task = (value) => (value === 0 ? 'none over 50 ms' : ms(value))
const toMarks = (name) => [`<!-- ${name} -->`, `<!-- /${name} -->`]

/** Returns a section between marks by which `replaceSection` finds it again. */
function toSection(name, text) {
  const [begin, end] = toMarks(name)
  return `${begin}\n\n${text}\n\n${end}`
}

/**
 * The section on large trees. `last` = the figures of the run before; `commit` = what is measured.
 */
export function formatWireReport(trees, last, commit) {
  const rows = trees.flatMap((tree) => rowsOf(tree, last[tree.nodes] ?? {}))
  const { page } = last
  const steps = page ? Object.entries(page).map(([name, value]) => `${name} ${value}`) : []
  return `\`npm run bench\` on ${cpus().length} cores, at commit ${commit}${last.commit ? ` (last time: ${last.commit})` : ''}.
The floor is pages that were serialised beforehand, fetched one after the other with Node's HTTP client
and parsed with \`JSON.parse\`, in the same run: compare ratios and processor time, not milliseconds. The whole program is measured: page,
worker, browser host and client, with traffic recorded; the host is a process of its own. Processor time is that of all threads
of a process (Linux), in floors: the processor time that the floor takes in the same run. "Afterwards" is the four seconds after the load, in which
pages are checked and what was recorded is saved, judged and learned from.

| Cards | What | Measured | Last time | Bar | |
|---|---|---|---|---|---|
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}
${steps.length > 0 ? `\nProcessor milliseconds of the steps of one page of 5,000 cards (\`npm run bench -- --profile\`): ${steps.join(', ')}.\n` : ''}`
}

/**
 * The section on what `--check` compares. `medians` are in floors; `commit` = what is measured.
 */
export function formatCheckReport({ commit, commits = {}, ...figures }) {
  const rows = Object.entries(checked).map(
    ([name, label]) => `| ${label} | ${figures[name].toFixed(2)} | ${commits[name] ?? ''} |`,
  )
  return `\`npm run bench -- --check\` measures these four times and fails where the processor time of all threads, in floors, is more than 15% above
what was measured at commit ${commit}, or at the one beside it, in all four, or where a figure is missing. \`--check --keep\` keeps what it measured
for the next time, and \`--only=load,kit\` measures only these of the groups ${Object.keys(checkedGroups).join(', ')}.

| Processor time of | Floors | Commit |
|---|---|---|
${rows.join('\n')}`
}

/** Replaces the section of that name in a file. */
export function replaceSection(file, text, name) {
  const [begin, end] = toMarks(name)
  process.stdout.write(`${text}\n`)
  const before = readFileSync(file, 'utf8')
  const [from, to] = [before.indexOf(begin), before.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has no section ${name}.`)
  writeFileSync(file, before.slice(0, from) + toSection(name, text) + before.slice(to + end.length))
}

/** Bars of a tree with 200,000 cards, in floors. */
const processorBars = { service: 0.6, renderer: null, browser: null, network: null }

function rowsOf(tree, last) {
  const cards = tree.nodes.toLocaleString('en-US')
  const stored = toStoredResult(tree)
  const large = tree.nodes > 500_000
  const ratioBar = large ? 1.4 : 2
  const was = (name, format = ms) => (typeof last[name] === 'number' ? format(last[name]) : '')
  const processor = (name, label, spent, bar = null) => [
    cards,
    label,
    `${ms(spent)} = ${floors(stored[name])}`,
    was(name, floors),
    bar === null ? '' : floors(bar),
    bar === null ? '' : verdict(stored[name] <= bar),
  ]
  return [
    [
      cards,
      'floor: first page, all pages',
      `${ms(tree.floorFirst)}, ${ms(tree.floorAll)} (${ms(tree.floorProcessor)} of processor)`,
      '',
      '',
      '',
    ],
    [
      cards,
      'first rows painted',
      `${ms(tree.first)} = floor + ${ms(stored.firstOverFloorMs)}`,
      was('firstOverFloorMs', (value) => `floor + ${ms(value)}`),
      'floor + 100 ms',
      verdict(stored.firstOverFloorMs <= 100),
    ],
    [
      cards,
      'fully loaded',
      `${ms(tree.all)} = ${times(stored.ratio)} floor`,
      was('ratio', times),
      times(ratioBar),
      verdict(stored.ratio <= ratioBar),
    ],
    processor('processor', 'processor until then', tree.processor, large ? null : 3.3),
    ...Object.keys(processorBars).map((name) =>
      processor(name, `processor: ${name}`, tree.processes[name] ?? 0, large ? null : processorBars[name]),
    ),
    processor('afterwards', 'processor afterwards', tree.afterwards, large ? null : 3),
    [cards, 'longest task while loading', task(tree.longest), '', '50 ms', verdict(tree.longest <= 50)],
    [cards, 'expand all', ms(tree.expandAll), '', '50 ms', verdict(tree.expandAll <= 50)],
    [
      cards,
      '5 s scroll, top to bottom',
      `${round(tree.fps)} fps, ${task(tree.longestScroll)}`,
      '',
      '50 ms',
      verdict(tree.longestScroll <= 50 && tree.reachedEnd),
    ],
    [cards, 'filter: first matches', ms(tree.filter), '', '100 ms', verdict(tree.filter <= 100)],
    [
      cards,
      'heap a card (page and worker)',
      `${stored.heapPerCard} bytes`,
      was('heapPerCard', (value) => `${value} bytes`),
      '300 bytes',
      verdict(stored.heapPerCard <= 300),
    ],
    ...(tree.slow
      ? [
          [
            cards,
            `a host that takes ${tree.slow.delayMs} ms a page`,
            `${times(tree.slow.ratio)} floor`,
            was('slowRatio', times),
            '1.03x',
            verdict(tree.slow.ratio <= 1.03),
          ],
          [
            cards,
            'the host may stop after a cancel',
            ms(tree.slow.cancelMs),
            was('cancelMs'),
            '100 ms',
            verdict(tree.slow.cancelMs <= 100),
          ],
        ]
      : []),
  ]
}
