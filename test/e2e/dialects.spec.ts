import { expect, test } from './fixtures.ts'
import { waitForConnection, go, startOwnHost } from './support.ts'

test('every place reads the response shapes that the documents leave open @dialects', async ({ app }) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const main = page.getByRole('main')
  const [set] = host.state.library.sets
  const card = set?.cards.find(({ parts }) => parts.some(({ kind }) => kind === 'audio'))
  Object.assign(host.state.openState, { topicid: set?.topicid, noteid: card?.noteid, bookmd5: set?.documents[0] })

  const row = page.getByRole('grid', { name: 'Study sets' }).getByRole('row', { name: new RegExp(set?.title ?? 'x') })
  await expect(row).toContainText(/2026|Oct|Nov/)
  await expect(row).not.toContainText('1970')

  // The host's open objects show their ids, whether the host sends them alone or with titles.
  await go(page, '#/host?view=context')
  for (const id of [set?.topicid, card?.noteid, set?.documents[0]]) {
    await expect(main.getByText(id ?? 'x').first()).toBeVisible()
  }

  // A search hit opens the object that it names.
  await go(page, `#/search?q=${encodeURIComponent(set?.title ?? '')}&scope=studysets`)
  await page.getByRole('grid', { name: 'Results' }).getByRole('link').first().click()
  await expect(page).toHaveURL(new RegExp(`study-sets/${set?.topicid ?? 'x'}/tree`))
  await expect(page.getByRole('treeitem').first()).toBeVisible()

  // One document is the main one; its outline has pages; the pages have texts and pictures.
  await page.getByRole('link', { name: 'Documents' }).click()
  await expect(page.getByText('main document')).toHaveCount(1)
  await page.getByRole('grid', { name: 'Documents' }).getByRole('link').first().click()
  await page.getByRole('grid', { name: 'Outline' }).getByRole('row').nth(3).click()
  await expect(page).toHaveURL(/\/pages\/[2-9]/)
  await page.getByRole('textbox', { name: 'Go to page' }).fill('2')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/pages\/2/)
  const words =
    host.state.library.books
      .get(set?.documents[0] ?? '')
      ?.pages[1]?.text.trim()
      .split('\n')[0] ?? ''
  expect(words).not.toBe('')
  await expect(main.getByRole('region', { name: 'Page text' }).first()).toContainText(words)
  await expect(main.getByRole('listbox', { name: 'Page images' }).getByRole('option').first()).toBeVisible()

  // Parts of a card with a sound are requested and shown only if they have bytes.
  await go(page, `#/notes/${card?.noteid ?? ''}?tab=content`)
  await expect(page.getByRole('tab', { name: /^Content/ })).toHaveAttribute('aria-selected', 'true')
  await expect(main.getByRole('region', { name: /^Content: / })).toBeVisible()
  await expect(main.getByRole('alert')).toHaveCount(0)
  const listContentRequests = () => host.log.filter(({ endpoint }) => endpoint === 'notes.content')
  await expect.poll(() => listContentRequests().length).toBeGreaterThan(0)
  expect(listContentRequests().filter(({ status }) => status >= 400)).toEqual([])

  // The files of a bundle are listed.
  await go(page, '#/bundles/bundle-1')
  await expect(main.getByRole('button', { name: /\.json$/ }).first()).toBeVisible()
  await host.close()
})
