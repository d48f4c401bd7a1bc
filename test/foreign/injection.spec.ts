import type { Page } from '@playwright/test'
import { serveBytes, startContentServer } from '../e2e/content-host.ts'
import { expect, test } from '../e2e/fixtures.ts'
import { waitForConnection, go, waitUntilSettled } from '../e2e/support.ts'
import { figure } from './figures.ts'
import { guideVectors, vectors } from './vectors.ts'

/** The effects of the host's texts in a page. */
interface Seen {
  ran: number
  /** Violations of the content security policy: nothing should get that far. */
  stopped: string[]
}

/** Makes the page count scripts that run and violations of its policy. */
const watch = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const observed: Seen = { ran: 0, stopped: [] }
    Object.assign(window, { seen: observed, ran: () => (observed.ran += 1) })
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      observed.stopped.push(`${violatedDirective} ${blockedURI}`)
    })
  })
const seenBy = (page: Page): Promise<unknown> => page.evaluate(() => Reflect.get(window, 'seen') as unknown)
const empty: Seen = { ran: 0, stopped: [] }

/** Elements that only exist if a text was parsed as HTML. */
const madeIn = (page: Page, selector: string): Promise<string[]> =>
  page
    .locator(selector)
    .locator(
      'script, iframe, object, embed, video, audio, img, form:not([role]), style, link, meta, base, math, marquee, x',
    )
    .evaluateAll((elements) => elements.map(({ outerHTML }) => outerHTML.slice(0, 100)))

test('a page without escaping runs the vectors, so this check can fail', async ({ chromiumHere }) => {
  const page = await (await chromiumHere()).newPage()
  await page.goto('about:blank')
  await watch(page)
  // Vectors that navigate the page or fill frames are left out.
  const remaining = vectors.filter((text) => !/<meta|<base|<form|<iframe|<object|<embed/.test(text))
  await page.evaluate((texts) => {
    for (const text of texts) {
      const place = document.createElement('div')
      place.innerHTML = text.replaceAll('PORT', '1')
      document.body.append(place)
    }
  }, remaining)
  // Most vectors need a user action, such as a click or a focus.
  await expect.poll(async () => ((await seenBy(page)) as Seen).ran).toBeGreaterThan(5)
  await page.context().close()
})

test('no script vector runs, loads or navigates, in the guide or as a title @either', async ({ app }) => {
  test.setTimeout(300_000)
  const json = (value: unknown, port: number) =>
    serveBytes('application/json', JSON.stringify(value).replaceAll('PORT', String(port)))
  let port = 0
  const titled = <T>(createItem: (title: string, at: number) => T): T[] => vectors.map(createItem)
  const server = await startContentServer(
    (ownOrigin) => {
      port = ownOrigin
      return {}
    },
    {
      '/guide': (request, response) =>
        serveBytes('text/markdown', guideVectors.join('\n\n').replaceAll('PORT', String(port)))(request, response),
      '/library/study-sets': (request, response) =>
        json({ studySets: titled((title, index) => ({ topicid: index === 0 ? 'T' : title, title })) }, port)(
          request,
          response,
        ),
      '/study-sets/T/tree': (request, response) =>
        json(
          {
            nodes: titled((title, index) => ({ noteid: index % 2 === 0 ? `N${index}` : title, parent: null, title })),
            nodeTotal: vectors.length,
          },
          port,
        )(request, response),
      '/study-sets/T/hashtags': (request, response) => json({ hashtags: vectors }, port)(request, response),
      '/documents/D/excerpts': (request, response) =>
        json({ items: titled((text, page) => ({ noteid: text, cardNoteId: text, page, text })) }, port)(
          request,
          response,
        ),
      '/search': (request, response) =>
        json({ hits: titled((title) => ({ kind: title, noteid: title, title, text: title })) }, port)(
          request,
          response,
        ),
    },
  )
  const page = await app.restart(server.flags)
  const start = new URL(page.url())
  const left: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== start.origin && !/^(?:data|blob|app|bridge-)/.test(request.url()))
      left.push(request.url())
  })
  page.on('framenavigated', (frame) => {
    if (new URL(frame.url()).origin !== start.origin) left.push(frame.url())
  })
  page.on('dialog', (dialog) => {
    left.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await waitForConnection(page)
  await watch(page)

  await go(page, '#/host?view=guide')
  const guide = page.getByRole('article', { name: 'Guide' })
  await expect(guide).toContainText('ran()')
  await waitUntilSettled(page)
  expect(await madeIn(page, 'article')).toEqual([])
  const links = await guide
    .locator('a[href]')
    .evaluateAll((all) => all.map((element) => element.getAttribute('href') ?? ''))
  for (const link of links) expect(link).toMatch(/^(?:https?:\/\/[^@]*$|#\/host\?)/)
  // Every link is clicked, even without an address.
  for (const link of await guide.locator('a').all()) await link.dispatchEvent('click')
  await page.keyboard.press('Escape')

  const places = [
    '#/library',
    '#/study-sets/T/tree',
    '#/study-sets/T/hashtags',
    '#/documents/D/excerpts',
    '#/search?q=x',
  ]
  for (const place of places) {
    await go(page, place)
    await waitUntilSettled(page)
    // High enough for every row to be rendered.
    await page.setViewportSize({ width: 1280, height: vectors.length * 26 + 1_000 })
    await expect(page.getByRole('main')).toContainText('ran()')
    await waitUntilSettled(page)
    const rows = page.getByRole('main').locator('[role=treeitem], [role=row][aria-rowindex]')
    for (const row of (await rows.all()).filter((_, index) => index % 40 === 3)) {
      await row.dispatchEvent('click')
      await row.dispatchEvent('pointerenter')
    }
    await waitUntilSettled(page)
    expect(await madeIn(page, 'main'), place).toEqual([])
    expect(await madeIn(page, 'aside'), place).toEqual([])
    expect(await seenBy(page), place).toEqual(empty)
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  expect(await seenBy(page)).toEqual(empty)
  expect(left).toEqual([])
  expect(server.fetched.filter((path) => path.includes('loaded'))).toEqual([])
  expect(new URL(page.url()).origin).toBe(start.origin)
  figure('injection', {
    'vectors in the guide': guideVectors.length,
    'links that stayed in it': links.length,
    'vectors as titles': vectors.length,
    'places with them': places.length,
    'scripts that ran, requests that left': 0,
  })
  server.close()
})
