import { expect, test } from './fixtures.ts'
import { waitForConnection, go, startOwnHost, waitUntilSettled } from './support.ts'

const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202Egnp.exe/../..'

test('safety 17: names of documents, excerpts, tags, decks and files are text in every place', async ({ app }) => {
  const { host, flags } = await startOwnHost({ nodes: 50 })
  const { library, bundles } = host.state
  const [set] = library.sets
  const [book] = library.books.values()
  const [deck] = library.decks
  const card = set?.cards.find(({ hashtags }) => hashtags.length > 0)
  const excerpt = library.excerpts.get(book?.bookmd5 ?? '')?.[0]
  if (!set || !book || !deck || !card || !excerpt) throw new Error('the demo library has lost something')
  Object.assign(set, { title: evil })
  Object.assign(card, { title: evil, hashtags: [`#${evil}`] })
  Object.assign(book, { title: evil, sourceState: evil, original: [{ title: evil, page: 1, level: 0 }] })
  Object.assign(book.pages[0] ?? {}, { text: evil })
  Object.assign(deck, { title: evil })
  Object.assign(deck.cards[0] ?? {}, { title: evil })
  Object.assign(excerpt, { text: evil, cardNoteId: evil })
  const files = new Map([
    ['evil.html', `<script>window.hacked=1</script>${evil}`],
    ['../../evil.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked=1"/>'],
  ])
  Object.assign(bundles[0] ?? {}, { files })

  const page = await app.restart(flags)
  const origin = new URL(page.url()).origin
  const elsewhere: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(origin) && !/^(data|blob|app|bridge-inspector[\w-]*):/.test(url)) elsewhere.push(url)
  })
  page.on('dialog', (dialog) => void dialog.dismiss())
  try {
    await waitForConnection(page)
    const sides = ['tree', 'documents', 'hashtags', 'sub-maps'].map((side) => `#/study-sets/${set.topicid}/${side}`)
    const places = [
      '#/library',
      '#/library?list=decks',
      ...sides,
      `#/documents/${book.bookmd5}/pages/1`,
      `#/documents/${book.bookmd5}/excerpts`,
      `#/documents/${book.bookmd5}/excerpts?view=duplicates`,
      `#/decks/${deck.deckId}`,
      `#/notes/${card.noteid}`,
      '#/search?q=img',
      '#/bundles/bundle-1?path=evil.html',
      '#/bundles/bundle-1?path=..%2F..%2Fevil.svg',
      '#/host?view=interface',
    ]
    for (const place of places) {
      await go(page, place)
      await waitUntilSettled(page)
      const row = page.locator('main [role="row"].row').first()
      if (await row.isVisible()) await row.click({ position: { x: 4, y: 8 } })
      await waitUntilSettled(page)
      expect(await page.evaluate(() => Reflect.get(window, 'hacked')), place).toBeUndefined()
      expect(await page.locator('img[src="x"], main script, main iframe, main object, main embed').count(), place).toBe(
        0,
      )
      expect(new URL(page.url()).origin, place).toBe(origin)
    }
    await go(page, '#/bundles/bundle-1?path=evil.html')
    await expect(page.getByLabel('Content: evil.html')).toContainText('<script>window.hacked=1</script>')
    await expect(page.getByLabel('Content: evil.html')).toContainText('⟨U+202E⟩')
    await go(page, '#/bundles/bundle-1?path=..%2F..%2Fevil.svg')
    await expect(page.getByRole('alert')).toContainText('points outside the bundle')
    expect(host.log.some(({ path }) => path.includes('evil.svg'))).toBe(false)
    expect(elsewhere).toEqual([])
  } finally {
    await host.close()
  }
})
