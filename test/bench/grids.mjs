/**
 * Our grid and naive-ui's NDataTable (virtual scroll) on the same excerpts in the same browser:
 * first paint, sort, filter, scroll.
 */
export async function compareGrids(page, count) {
  const results = {}
  for (const name of ['ours', 'naive']) {
    await page.reload()
    results[name] = await page.evaluate(measure, [name, count])
  }
  return results
}

/** Runs in the page. */
async function measure([name, count]) {
  const { bench } = window
  const sentences = [
    'The series converges absolutely.',
    '临床上最常见的表现是疼痛和活动受限。',
    'Compare the figure on the next page.',
  ]
  const rows = Array.from({ length: count }, (_, n) => ({
    noteid: `R${n}`,
    cardNoteId: `C${n}`,
    topicid: `T${n % 5}`,
    page: ((n * 7919) % 300) + 1,
    startpos: n % 900,
    endpos: (n % 900) + 40,
    text: `${sentences[n % 3]} ${(n * 104_729) % count}`,
  }))
  await new Promise((resolve) => setTimeout(resolve, 500))
  bench.longest()
  const table = window.mountGrid[name]
  const first = () => table.firstText()
  const firstPaint = await bench.until(
    () => table.mount(rows),
    () => first() !== '',
  )
  await new Promise((resolve) => setTimeout(resolve, 300))
  const longestMount = bench.longest()
  const before = first()
  const sort = await bench.until(
    () => table.sortByText(),
    () => first() !== before && !table.busy(),
  )
  const longestSort = bench.longest()
  const sorted = first()
  const filter = await bench.until(
    () => table.filter('figure on the next page. 49'),
    () => first() !== sorted,
  )
  const longestFilter = bench.longest()
  await bench.until(
    () => table.filter(''),
    () => first() === sorted,
  )
  bench.longest()
  const fps = await bench.scroll(table.scroller(), 3_000)
  return { firstPaint, longestMount, sort, longestSort, filter, longestFilter, fps, longestScroll: bench.longest() }
}
