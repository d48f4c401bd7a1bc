import Papa from 'papaparse'
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { toSingleLine } from '../../renderer/components/text-truncation.ts'
import { serveBytes, startContentServer } from '../e2e/content-host.ts'
import { expect, test } from '../e2e/fixtures.ts'
import { waitForConnection, go } from '../e2e/support.ts'
import { pickRunCount } from '../support/data/run-count.ts'
import { figure } from './figures.ts'
import { naughty } from './naughty.ts'

const json = (value: unknown) => serveBytes('application/json', JSON.stringify(value))
const withId = naughty.map((title, index) => ({ noteid: `N${index}`, parent: null, title }))

/** A host whose cards, study sets, search hits and excerpts have these titles. */
const host = () =>
  startContentServer(() => ({}), {
    '/library/study-sets': json({ studySets: naughty.map((title, index) => ({ topicid: `T${index}`, title })) }),
    '/study-sets/T/tree': json({ nodes: withId, nodeTotal: withId.length }),
    '/documents/D/excerpts': json({ items: naughty.map((text, index) => ({ noteid: `N${index}`, page: 1, text })) }),
    '/search': (request, response) => {
      const title = new URL(request.url ?? '', 'http://host').searchParams.get('q')
      json({ hits: [{ kind: 'note', noteid: 'N', title }] })(request, response)
    },
  })

/** About this many of the texts, evenly spread; all of them in the long run. */
const some = (texts: readonly string[], approximateCount: number): readonly string[] =>
  texts.filter((_, index) => index % pickRunCount(Math.ceil(texts.length / approximateCount), 1) === 0)

/** Texts that can be typed: a one-line field drops line breaks, and the filter trims spaces. */
const typed = naughty.filter((text) => !/[\r\n]|\p{Cs}/u.test(text) && text.trim() === text)

/** The texts of these elements; passed as JSON, because the driver replaces lone surrogates. */
const titlesIn = async (page: Page, selector: string): Promise<string[]> =>
  JSON.parse(
    await page.locator(selector).evaluateAll((rows) => JSON.stringify(rows.map((row) => row.textContent))),
  ) as string[]

test('naughty strings stay exact in the tree, its filter and the clipboard @long', async ({ app }) => {
  test.skip(app.mode === 'electron', 'the same page in the same engine')
  test.setTimeout(300_000)
  const server = await host()
  const page = await app.restart(server.flags)
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await waitForConnection(page)
  await go(page, '#/study-sets/T/tree')
  // High enough for every row to be rendered.
  await page.setViewportSize({ width: 1280, height: naughty.length * 26 + 1_000 })
  await expect(page.getByRole('treeitem')).toHaveCount(naughty.length)
  expect(await titlesIn(page, '[role=treeitem] .title')).toEqual(naughty.map(toSingleLine))

  const filtered = some(typed, 40)
  const lost = await page.evaluate(
    async ({ titles, label }) => {
      const field = document.querySelector<HTMLInputElement>(`input[type=search], input[placeholder="${label}"]`)
      if (!field) return ['there is no field']
      const missing: string[] = []
      for (const { title, drawn } of titles) {
        field.value = title
        field.dispatchEvent(new Event('input', { bubbles: true }))
        const until = Date.now() + 10_000
        const isFound = (): boolean =>
          [...document.querySelectorAll('[role=treeitem] mark')].some(
            (mark) =>
              mark.textContent === drawn && mark.closest('[role=treeitem]')?.getAttribute('aria-label') === title,
          )
        while (!isFound() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
        if (!isFound()) missing.push(title)
      }
      field.value = ''
      field.dispatchEvent(new Event('input', { bubbles: true }))
      return missing
    },
    { titles: filtered.map((title) => ({ title, drawn: toSingleLine(title) })), label: 'Title or note id' },
  )
  expect(lost).toEqual([])
  await expect(page.getByRole('treeitem')).toHaveCount(naughty.length)

  const copied = some(naughty, 12)
  for (const title of copied) {
    await page
      .getByRole('treeitem')
      .nth(naughty.indexOf(title))
      .click({ button: 'right', position: { x: 200, y: 8 } })
    await page.getByRole('menuitem', { name: 'Copy path' }).click()
    // The clipboard cannot hold lone surrogates.
    const readPlace = async (): Promise<string> =>
      JSON.parse(await page.evaluate(async () => JSON.stringify(await navigator.clipboard.readText()))) as string
    await expect.poll(readPlace).toBe(title.toWellFormed())
  }
  expect(errors).toEqual([])
  figure('naughty-page', {
    'drawn in the tree': naughty.length,
    'typed into the filter and found': filtered.length,
    'copied and read from the clipboard': copied.length,
  })
  server.close()
})

test('naughty strings stay exact in the library, in search and in a saved CSV @long', async ({ app }) => {
  test.skip(app.mode === 'electron', 'there the system asks where, in a dialog of its own')
  test.setTimeout(300_000)
  const server = await host()
  const page = await app.restart(server.flags)
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  await waitForConnection(page)
  await go(page, '#/search')
  const searched = some(typed, 12)
  for (const title of searched) {
    // The field takes a thousand characters.
    const query = title.slice(0, 1_000)
    await page.getByRole('search').getByRole('searchbox').fill(query)
    await page.keyboard.press('Enter')
    const hit = page.getByRole('grid').getByRole('row').nth(1)
    await expect.poll(async () => (await hit.isVisible()) && hit.textContent()).toContain(query)
  }

  await go(page, '#/library')
  await page.setViewportSize({ width: 1280, height: naughty.length * 26 + 1_000 })
  await expect(page.getByRole('grid', { name: 'Study sets' }).getByRole('link')).toHaveCount(naughty.length)
  const titles = await titlesIn(page, '[role=grid] a')
  expect(titles.toSorted()).toEqual(naughty.map(toSingleLine).toSorted())

  await go(page, '#/documents/D/excerpts')
  await expect(page.getByRole('grid', { name: 'Excerpts' })).toBeVisible()
  const coming = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'Export CSV' }).click()
  const csv = readFileSync(await (await coming).path(), 'utf8').replace(/^\ufeff/, '')
  const { data, meta } = Papa.parse<Record<string, string>>(csv, { header: true, skipEmptyLines: 'greedy' })
  const column = (meta.fields ?? []).find((name) => /^Text/.test(name)) ?? ''
  const cells = new Set(data.map((row) => row[column]))
  expect(data).toHaveLength(naughty.length)
  for (const text of naughty.map((title) => title.toWellFormed())) {
    expect(cells.has(text) || cells.has(`'${text}`), JSON.stringify(text)).toBe(true)
  }
  expect(errors).toEqual([])
  figure('naughty-library', {
    'searched for': searched.length,
    'drawn in the library': titles.length,
    'in a CSV that was saved': data.length,
  })
  server.close()
})
