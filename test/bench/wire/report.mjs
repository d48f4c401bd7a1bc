import { cpus } from 'node:os'
import { readFileSync, writeFileSync } from 'node:fs'
import { toStoredResult } from './last.mjs'

const round = (value) => (value >= 10 ? Math.round(value) : Math.round(value * 10) / 10)
const ms = (value) => `${Math.round(value).toLocaleString('en-US')} ms`
const times = (value) => `${value.toFixed(2)}x`
const verdict = (isMet) => (isMet ? 'held' : '**missed**')
const task = (value) => (value === 0 ? 'none over 50 ms' : ms(value))
const [BEGIN, END] = ['<!-- wire -->', '<!-- /wire -->']

/**
 * The section on large trees, between marks by which `replaceSection` finds it again. `last` = the
 * figures of the run before.
 */
export function formatWireReport(trees, last) {
  const rows = trees.flatMap((tree) => rowsOf(tree, last[tree.nodes] ?? {}))
  const { page } = last
  const steps = page ? Object.entries(page).map(([name, value]) => `${name} ${value}`) : []
  return `${BEGIN}

\`npm run bench\` on ${cpus().length} cores. The floor is pages that were serialised beforehand, fetched one after the other with Node's HTTP client
and parsed with \`JSON.parse\`, in the same run: compare ratios and processor time, not milliseconds. The whole program is measured: page,
worker, browser host and client, with traffic recorded; the host is a process of its own. Processor time is that of all threads
of a process (Linux); "afterwards" is the four seconds after the load, in which pages are checked and what was recorded is saved.

| Cards | What | Measured | Last time | Bar | |
|---|---|---|---|---|---|
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}
${steps.length > 0 ? `\nProcessor milliseconds of the steps of one page of 5,000 cards (\`npm run bench -- --profile\`): ${steps.join(', ')}.\n` : ''}
\`npm run bench -- --check\` measures 200,000 cards three times and fails where a ratio or a processor figure is more than a fifth worse than
last time in all three.

${END}`
}

/** Replaces that section in a file. */
export function replaceSection(file, text) {
  process.stdout.write(`${text}\n`)
  const before = readFileSync(file, 'utf8')
  const [from, to] = [before.indexOf(BEGIN), before.indexOf(END)]
  if (from < 0 || to < from) throw new Error(`${file} has no section on large trees.`)
  writeFileSync(file, before.slice(0, from) + text + before.slice(to + END.length))
}

function rowsOf(tree, last) {
  const cards = tree.nodes.toLocaleString('en-US')
  const stored = toStoredResult(tree)
  const large = tree.nodes > 500_000
  const ratioBar = large ? 1.4 : 2
  const was = (name, format = ms) => (typeof last[name] === 'number' ? format(last[name]) : '')
  const processor = (name) => [cards, `processor: ${name}`, ms(stored[name]), was(name), '', '']
  return [
    [cards, 'floor: first page, all pages', `${ms(tree.floorFirst)}, ${ms(tree.floorAll)}`, '', '', ''],
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
    [
      cards,
      'processor until then',
      ms(stored.processor),
      was('processor'),
      large ? '' : '1,000 ms',
      large ? '' : verdict(stored.processor <= 1_000),
    ],
    ...['service', 'renderer', 'browser', 'network'].map(processor),
    [cards, 'processor afterwards', ms(stored.afterwards), was('afterwards'), '', ''],
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
