/**
 * Measures a filter over a million titles, as the tree's worker runs it: the preparation on first
 * use, and then the median of several runs of a query.
 */
import { foldText } from '../../shared/format/text-folding.ts'
import { PageTitles } from '../../renderer/model/tree/page-titles.ts'

const PAGES = 2_000
const TITLES_PER_PAGE = 500
const RUNS = 9
const titles = { ascii: 'Chapter on limits', latin: 'Café über Straße', chinese: '微积分 极限 第' }
const queries = ['999', 'CAFÉ', 'strasse 12', '极限', 'not in any title']

const findMedian = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
function measure(run) {
  const startedMs = performance.now()
  run()
  return performance.now() - startedMs
}

for (const [name, title] of Object.entries(titles)) {
  const pages = Array.from({ length: PAGES }, (_, page) => {
    const texts = Array.from({ length: TITLES_PER_PAGE }, (_, row) => `${title} ${page * TITLES_PER_PAGE + row}\0`)
    const bytes = new TextEncoder().encode(texts.join(''))
    return new PageTitles(bytes, { rows: new Uint32Array(0), texts: [] }, TITLES_PER_PAGE)
  })
  const preparation = measure(() => pages.forEach((page) => page.prepareSearch()))
  process.stdout.write(`${name}: prepared in ${preparation.toFixed(0)} ms\n`)
  for (const query of queries) {
    const needle = foldText(query)
    let matches = 0
    const search = () => {
      matches = 0
      for (const page of pages) page.search(needle, () => Boolean((matches += 1)))
    }
    const medianMs = findMedian(Array.from({ length: RUNS }, () => measure(search)))
    process.stdout.write(`  ${query}: ${medianMs.toFixed(1)} ms, ${matches} matches\n`)
  }
}
