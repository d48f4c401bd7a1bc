const round = (value) => (value >= 10 ? Math.round(value) : Math.round(value * 10) / 10)
const ms = (value) => `${round(value)} ms`
const task = (value) => (value === 0 ? 'none over 50 ms' : ms(value))

const kilobytes = (bytes) => `${round(bytes / 1_024)} KB`

/** What recording costs, and how long its store takes to answer. */
export const trafficText = (
  traffic,
) => `Recorded traffic (\`node test/bench/traffic.mjs\` alone): ${traffic.exchanges.toLocaleString('en-US')} exchanges with a body of their own of about 1 KB.
${Math.round(traffic.insertPerSecond).toLocaleString('en-US')} are written a second; 1,000 take ${kilobytes(traffic.bytesPerThousand)}, and ${kilobytes(traffic.indexedBytesPerThousand)} once their text is indexed. The first rows
take ${ms(traffic.head)}, filtered by text ${ms(traffic.headText)}; all of them listed ${ms(traffic.findAll)}, filtered by text ${ms(traffic.findText)}, by status and duration ${ms(traffic.findSlow)}, 500 rows ${ms(traffic.rows)}, one exchange ${ms(traffic.exchange)}, a text in all bodies
${ms(traffic.bodySearch)}. Two answers of 5 MB are compared in ${ms(traffic.compare)} (bar 2 s). Loading ${traffic.cards.toLocaleString('en-US')} cards takes ${ms(traffic.without)} without and ${ms(traffic.recorded)} with recording: ${round(traffic.cost * 100)}% more (bar 10%), and ${traffic.droppedBodies} bodies were left out.`

/** The list of recorded traffic and one exchange, on screen. */
export const trafficPageText = (
  observed,
) => `On screen (\`node test/bench/traffic-page.mjs\` alone), with ${observed.exchanges.toLocaleString('en-US')} exchanges of an earlier run, from a page at rest: first rows ${ms(observed.open)} (bar 150 ms), all of
them counted ${ms(observed.counted)}, filtered ${ms(observed.filter)} (bar 100 ms; 40 ms of them wait for more typing), ${round(observed.fps)} frames a second in a 5 s scroll, longest task ${ms(observed.longestList)}. An answer of ${observed.megabytes} MB in one line is shown after ${ms(observed.bigShown)}; longest task while it is read, shown,
shown as bytes and held against the contract: ${ms(observed.longestBig)}. Longest task while ${observed.cards.toLocaleString('en-US')} cards are loaded in a second window: ${ms(observed.longestLoad)}.
These tasks are measured in processor time.`

/** What the section of the report says about recording another client. */
export const recordingText = (
  recording,
) => `Recording another client (\`node test/bench/recording.mjs\` alone): a small read takes ${recording.directMs.toFixed(2)} ms direct and ${recording.throughMs.toFixed(2)} ms through it,
${recording.added.toFixed(2)} ms more in the median (bar 1 ms), and ${recording.bareAdded.toFixed(2)} ms more through a bare proxy of Node's \`http\`. Pages of 5,000 nodes, each fetched
in all ways in turn, come at ${recording.ratio.toFixed(2)}x of the direct rate (bar 0.9x), and through the bare proxy, which neither masks nor records, at
${recording.bareRatio.toFixed(2)}x.`

/** A cold start of the desktop app, and the app at rest. */
export const coldText = ({ start, processor, memory }) =>
  `Desktop (\`xvfb-run -a node test/bench/cold.mjs\` alone), against a bare Electron window with one heading, in turn: first landmark after ${ms(start.ours)}, bare
${ms(start.bare)}, ${start.ratio.toFixed(2)}x (bar 1.4x; both include the driver); ${ms(processor.ours)} of processor by then, bare ${ms(processor.bare)}; ${round(memory.ours / 1_024)} MB at rest, bare
${round(memory.bare / 1_024)} MB, ${memory.ratio.toFixed(2)}x (bar 1.1x).`

/** The section of the report on everything but large trees. `cold` = null without a desktop. */
export function formatProgramReport({ cold, trees, strip, operations, traffic, recording, trafficPage }, commit) {
  const { ours, naive } = trees.grids
  return `Measured by \`npm run bench\` at commit ${commit}.

${cold ? `${coldText(cold)}\n\n` : ''}Against naive-ui's \`NTree\` with virtual scrolling, ${(200_000).toLocaleString('en-US')} cards all open and already read, same page, same run:

| | ours | NTree | ratio |
|---|---|---|---|
| first paint | ${ms(trees.ours.firstPaint)} | ${ms(trees.naive.firstPaint)} | ${round(trees.naive.firstPaint / trees.ours.firstPaint)}x |
| longest task while mounting | ${task(trees.ours.longestMount)} | ${task(trees.naive.longestMount)} | |
| frames a second in a 5 s scroll | ${round(trees.ours.fps)} | ${round(trees.naive.fps)} | ${round(trees.ours.fps / trees.naive.fps)}x |
| longest task while scrolling | ${task(trees.ours.longestScroll)} | ${task(trees.naive.longestScroll)} | |

Reading is left out on both sides: ours happens in a worker, from bytes; from objects, as for pages that are unusual as a whole, 200,000
cards take Node 220 to 500 ms.

Excerpts: 50,000 rows of seven columns, against naive-ui's \`NDataTable\` with virtual scrolling, same page, same run:

| | ours | NDataTable | ratio |
|---|---|---|---|
| first paint | ${ms(ours.firstPaint)} | ${ms(naive.firstPaint)} | ${round(naive.firstPaint / ours.firstPaint)}x |
| sort by text | ${ms(ours.sort)} | ${ms(naive.sort)} | ${round(naive.sort / ours.sort)}x |
| longest task while sorting | ${task(ours.longestSort)} | ${task(naive.longestSort)} | |
| filter | ${ms(ours.filter)} | ${ms(naive.filter)} | ${round(naive.filter / ours.filter)}x |
| longest task while filtering | ${task(ours.longestFilter)} | ${task(naive.longestFilter)} | |
| frames a second in a 3 s scroll | ${round(ours.fps)} | ${round(naive.fps)} | |

Filmstrip: a page with ${strip.parts} handwriting images in the whole program, scrolled from end to end in 5 s: ${round(strip.fps)} frames a second,
longest task ${task(strip.longest)}, heap ${round(strip.heap / 1_048_576)} MB more after it. ${strip.atRest} images were asked for at rest, ${strip.asked} in all: what is passed is let go.

Operations: ${operations.records.toLocaleString('en-US')} records of an earlier run in the whole program: first rows ${ms(operations.first)}, all of them listed
${ms(operations.all)}, ${round(operations.fps)} frames a second in a 3 s scroll. Longest task while they come in ${task(operations.longestOpening)}, while scrolling
${task(operations.longestScroll)}, while moving through 30 records ${task(operations.longestMoving)}, while filtering ${task(operations.longestFilter)}.

${trafficText(traffic)}

${recordingText(recording)}

${trafficPageText(trafficPage)}

Sorting goes in slices, so that no task blocks the page.`
}
