import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Locator, Page } from '@playwright/test'
import type { Collection } from '../../shared/ipc/console.ts'
import { toExpectedPrefix } from '../../shared/cards.ts'
import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go, startOwnHost, getDialect, WINDOW_SIZES } from './support.ts'
import { CARD, connectToSlowHost, titleOf } from './writing.ts'

// A listing tried in the console reads one page of it, which breaks this rule.
test.use({ breaks: ['paging-stopped'] })

const getResponseRegion = (page: Page): Locator => page.getByRole('region', { name: 'Answer' })
const pathField = (page: Page): Locator => page.getByRole('textbox', { name: 'Path', exact: true })
/** Returns the path of the card listing, which depends on the dialect of the host. */
const buildCardsPath = (set: string): string => `/study-sets/${set}/${getDialect() === 'loose' ? 'cards' : 'tree'}`
const getFirstSetPointer = (): string => (getDialect() === 'loose' ? '/items/0/topicid' : '/studySets/0/topicid')
/** Reads the saved tabs of the console; they are written some time after a change. */
const readSavedTabs = (dataDir: string): string => {
  const file = path.join(dataDir, 'console.json')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
const getCollectionsFolder = (dataDir: string): string => path.join(dataDir, 'collections')

test('the console composes a request from an endpoint, sends it, and finds it again @core', async ({ app }) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await go(page, '#/console')
  await pathField(page).fill('study-sets tree')
  const placeholder = getDialect() === 'loose' ? 'id' : 'topicid'
  await page.getByRole('option', { name: `GET ${buildCardsPath(`{${placeholder}}`)}` }).click()
  await expect(pathField(page)).toHaveValue(buildCardsPath(`{${placeholder}}`))
  // Missing parameters are named, and nothing is sent.
  const before = host.log.length
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText(placeholder)
  const { topicid } = host.state.library.sets[0] ?? { topicid: '' }
  await page.getByLabel(/^topicid/).fill(topicid)
  await page.getByLabel(/^limit/).fill('2')
  await expect(pathField(page)).toHaveValue(`${buildCardsPath(topicid)}?limit=2`)
  const countRequests = (): number =>
    host.log.slice(before).filter(({ endpoint, path: to }) => endpoint === 'studySets.tree' && to.includes('limit=2'))
      .length
  expect(countRequests()).toBe(0)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(getResponseRegion(page).getByRole('region', { name: 'Exchange' })).toContainText('200')
  expect(countRequests()).toBe(1)
  await expectAccessible(page, 'console')

  await getResponseRegion(page).getByText('As a panel').click()
  await expect(getResponseRegion(page)).toContainText('nodes')

  // An error is shown like any response, with an explanation of how a panel sees it.
  await pathField(page).fill(buildCardsPath('NO-SUCH'))
  await pathField(page).press('Enter')
  await expect(getResponseRegion(page)).toContainText('the promise resolves all the same')

  await page.getByText('History', { exact: true }).click()
  const history = page.getByRole('grid', { name: 'History' })
  await expect(history.getByRole('row')).toHaveCount(3)
  await page.getByRole('searchbox', { name: 'Search history' }).fill('limit=2')
  await expect(history.getByRole('row')).toHaveCount(2)
  await history.getByRole('row').nth(1).dblclick()
  await getResponseRegion(page).getByText('As recorded').click()
  await expect(pathField(page)).toHaveValue(`${buildCardsPath(topicid)}?limit=2`)
  await expect(getResponseRegion(page)).toContainText('200')
  await host.close()
})

test('the console opens the review of a write with exactly its body, and sends nothing before @either', async ({
  app,
}) => {
  const { host, page } = await connectToSlowHost(app, 0)
  const [card] = host.state.library.sets.flatMap(({ cards }) => cards)
  const noteid = card?.noteid ?? ''
  await go(page, `#/console?method=POST&path=${encodeURIComponent(`/notes/${noteid}/title`)}`)
  await page.getByText('JSON', { exact: true }).click()
  const body = page.getByRole('textbox', { name: 'Body as JSON' })
  // Some hosts require the beginning of the current title.
  const text = `{"text":  "1.50", "expectedPrefix": ${JSON.stringify(toExpectedPrefix(card?.title ?? ''))}}`
  await body.fill(text)
  const countWrites = (): number => host.log.filter(({ endpoint }) => endpoint === 'notes.title').length
  const before = countWrites()
  await body.press('ControlOrMeta+Enter')
  const review = page.getByRole('dialog')
  await expect(review).toContainText(`/notes/${noteid}/title`)
  expect(countWrites()).toBe(before)
  await review.getByRole('button', { name: 'Back' }).click()
  await expect(review.getByRole('textbox', { name: /JSON/ })).toHaveValue(text)
  await page.keyboard.press('Escape')
  await expect(review).toHaveCount(0)
  expect(countWrites()).toBe(before)
  await body.press('ControlOrMeta+Enter')
  await review.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(review.getByRole('link', { name: 'Open the record' })).toBeVisible()
  await review.getByRole('button', { name: 'Close' }).click()
  expect(countWrites()).toBe(before + 1)
  await expect(getResponseRegion(page).getByRole('region', { name: 'Exchange' })).toContainText('200')
  await host.close()
})

test('saved requests are plain files, and run in order up to the first failure', async ({ app }) => {
  const { host, flags, token } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await go(page, '#/console?method=GET&path=/library/study-sets')
  await expect(pathField(page)).toHaveValue('/library/study-sets')
  const save = async (name: string, takes = ''): Promise<void> => {
    await page.getByRole('button', { name: 'Save request' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill(name)
    await dialog.getByLabel('Take from answer').fill(takes)
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(dialog).toHaveCount(0)
  }
  await save('Sets', `topicid = ${getFirstSetPointer()}`)
  await pathField(page).fill(`${buildCardsPath('{{topicid}}')}?limit={{limit}}`)
  await save('Tree')
  await pathField(page).fill('/notes/NO-SUCH/nothing')
  await save('Broken')
  await pathField(page).fill('/status')
  await save('Never')

  const [file = ''] = readdirSync(getCollectionsFolder(app.dataDir))
  expect(file).toBe('My requests.json')
  const read = (): unknown => JSON.parse(readFileSync(path.join(getCollectionsFolder(app.dataDir), file), 'utf8'))
  expect(read()).toMatchObject({ name: 'My requests', requests: [{ name: 'Sets' }, {}, {}, { path: '/status' }] })

  // A request that contains the token is refused, wherever the token stands.
  await pathField(page).fill(`/status?x=${token}`)
  await page.getByRole('button', { name: 'Save request' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('TOKEN_IN_REQUEST')
  await page.keyboard.press('Escape')
  await pathField(page).fill('/status')

  // Variables belong to the collection; another program may write the file as well.
  const stored = read() as Record<string, unknown>
  writeFileSync(
    path.join(getCollectionsFolder(app.dataDir), file),
    JSON.stringify({ ...stored, variables: { limit: '3' } }),
  )
  await page.getByRole('button', { name: 'Run My requests' }).click()
  const steps = page.getByRole('grid', { name: 'Steps' }).getByRole('row')
  await expect(steps.nth(1)).toContainText('Done')
  await expect(steps.nth(1)).toContainText('topicid = ')
  await expect(steps.nth(2)).toContainText('Done')
  await expect(steps.nth(3)).toContainText('Stopped: status 404')
  await expect(steps.nth(4)).toContainText('Not sent')
  expect(host.log.some(({ path: to }) => /\/study-sets\/[^/{]+\/(tree|cards)\?limit=3$/.test(to))).toBe(true)
  await expectAccessible(page, 'a run')

  writeFileSync(
    path.join(getCollectionsFolder(app.dataDir), file),
    JSON.stringify({ ...stored, name: 'Renamed elsewhere' }),
  )
  await page.getByRole('button', { name: 'Reload the folder' }).click()
  await expect(page.getByRole('button', { name: 'Run Renamed elsewhere' })).toBeVisible()
  await host.close()
})

test('a value of the answer becomes an assertion, which each run checks', async ({ app }) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await go(page, '#/console?method=GET&path=/status')
  await page.getByRole('button', { name: 'Save request' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const body = getResponseRegion(page).getByRole('textbox', { name: 'Response body' })
  await body.getByText('"bridgeApiVersion"', { exact: true }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Assert this value' }).click()
  const assertions = page.getByRole('region', { name: 'Assertions' })
  await expect(assertions.getByRole('listitem')).toContainText(['/bridgeApiVersion equals'])
  await expect(assertions.getByRole('status')).toHaveText('1 passed')
  await expectAccessible(page, 'assertions')

  const [file = ''] = readdirSync(getCollectionsFolder(app.dataDir))
  const filePath = path.join(getCollectionsFolder(app.dataDir), file)
  const stored = JSON.parse(readFileSync(filePath, 'utf8')) as Collection
  expect(stored.requests[0]?.assertions).toMatchObject([{ kind: 'equals', pointer: '/bridgeApiVersion' }])

  // One entry of another program is reported, and the others are still checked.
  const [request] = stored.requests
  const changed = [{ kind: 'status', equals: 201 }, { kind: 'from-elsewhere' }, { kind: 'duration', maxMs: 60_000 }]
  writeFileSync(filePath, JSON.stringify({ ...stored, requests: [{ ...request, assertions: changed }] }))
  await page.getByRole('button', { name: `Run ${stored.name}` }).click()
  const step = page.getByRole('grid', { name: 'Steps' }).getByRole('row').nth(1)
  await expect(step).toContainText('Stopped: 2 assertions did not pass')
  await expect(getResponseRegion(page).getByRole('listitem')).toContainText(['Failed', 'Invalid', 'Passed'])
  await host.close()
})

test('a write in a run waits for its review, and the run ends if it is not sent', async ({ app }) => {
  const { host, page } = await connectToSlowHost(app, 0)
  const title = titleOf(host)
  const collection = {
    name: 'Rename',
    variables: { noteid: CARD, title: 'Renamed "twice"', before: toExpectedPrefix(title) },
    requests: [
      {
        name: 'Write',
        method: 'POST',
        path: '/notes/{{noteid}}/title',
        body: '{"text": "{{title}}", "expectedPrefix": "{{before}}"}',
      },
      { name: 'Read', method: 'GET', path: '/status', body: null },
    ],
  }
  await go(page, '#/console')
  await expect(page.getByText('No collections yet')).toBeVisible()
  writeFileSync(path.join(getCollectionsFolder(app.dataDir), 'rename.json'), JSON.stringify(collection))
  await page.getByRole('button', { name: 'Reload the folder' }).click()
  const listWrites = (): unknown[] => host.log.filter(({ endpoint }) => endpoint === 'notes.title')
  const steps = page.getByRole('grid', { name: 'Steps' }).getByRole('row')
  await page.getByRole('button', { name: 'Run Rename' }).click()
  const review = page.getByRole('dialog')
  await expect(review).toContainText(`/notes/${CARD}/title`)
  await expect(steps.nth(1)).toContainText('In review')
  await page.keyboard.press('Escape')
  await expect(steps.nth(1)).toContainText('the write was not sent')
  await expect(steps.nth(2)).toContainText('Not sent')
  expect(listWrites()).toHaveLength(0)

  await page.getByRole('button', { name: 'Run again' }).click()
  await review.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(review.getByRole('link', { name: 'Open the record' })).toBeVisible()
  await review.getByRole('button', { name: 'Close' }).click()
  await expect(steps.nth(1)).toContainText('Done')
  await expect(steps.nth(2)).toContainText('Done')
  expect(listWrites()).toMatchObject([{ body: expect.stringContaining('Renamed \\"twice\\"') }])
  await host.close()
})

test('the keyboard alone chooses an endpoint, completes its body, sends it and keeps the tab', async ({ app }) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await go(page, '#/console')
  await pathField(page).focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('batch-get')
  await expect(page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option')).toHaveText([
    /POST \/notes\/batch-get/,
  ])
  await page.keyboard.press('ArrowDown')
  await expect(pathField(page)).toHaveAttribute('aria-activedescendant', /./)
  await page.keyboard.press('Enter')
  await expect(pathField(page)).toHaveValue('/notes/batch-get')
  await expect(page.getByRole('combobox', { name: 'Method' })).toHaveValue('POST')
  await page.getByRole('radio', { name: 'JSON' }).focus()
  await page.keyboard.press('Space')
  const body = page.getByRole('textbox', { name: 'Body as JSON' })
  await body.focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await page.keyboard.type('{')
  await page.keyboard.press('Control+Space')
  await expect(page.getByRole('option', { name: /noteIds/ })).toBeVisible()
  // A list ignores keys just after it opens, so that continued typing chooses nothing.
  await page.waitForTimeout(200)
  await page.keyboard.press('Enter')
  await page.keyboard.type('["NO-SUCH"]')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(getResponseRegion(page).getByRole('region', { name: 'Exchange' })).toContainText('200')
  await expect.poll(() => readSavedTabs(app.dataDir)).toMatch(/NO-SUCH[\s\S]*"seq": \d/)
  await page.reload()
  await waitForConnection(page)
  await expect(pathField(page)).toHaveValue('/notes/batch-get')
  await expect(getResponseRegion(page)).toContainText('200')
  await host.close()
})

test.describe('the room of the console', () => {
  test('no endpoint loses its marks at any width', async ({ page }) => {
    for (const size of WINDOW_SIZES) {
      await page.setViewportSize(size)
      await go(page, '#/library')
      await go(page, '#/console')
      await pathField(page).fill('/')
      await expect(page.getByText('Neither the contract nor the host lists this path.')).toBeHidden()
      await pathField(page).fill('delete')
      const marks = page.getByRole('option').locator('.mark')
      await expect(marks.filter({ hasText: 'Max outside the host' }).first()).toBeVisible()
      const cut = await marks.evaluateAll(
        (all) =>
          all.filter((mark) => {
            const list = mark.closest('[role="listbox"]')?.getBoundingClientRect()
            const { left, right } = mark.getBoundingClientRect()
            return mark.scrollWidth > mark.clientWidth + 1 || !list || left < list.left || right > list.right
          }).length,
      )
      expect([size.width, cut]).toEqual([size.width, 0])
    }
  })

  test('the response begins in the upper third, and the path has room @core', async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await go(page, '#/console?method=GET&path=/library/study-sets')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const response = getResponseRegion(page)
    await expect(response).toContainText('studySets')
    const top = (await response.locator('.cm-content').first().boundingBox())?.y ?? Infinity
    expect(top).toBeLessThanOrEqual(300)
    expect((await pathField(page).boundingBox())?.width ?? 0).toBeGreaterThan(350)
    await response.getByRole('button', { name: 'More actions' }).click()
    for (const name of ['Save body', 'Copy as cURL']) await expect(page.getByRole('menuitem', { name })).toBeVisible()
  })

  test('a path that is none stays readable beside what the field says about it', async ({ page }) => {
    await go(page, '#/console?method=GET&path=/library/study-sets')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const field = getResponseRegion(page).getByRole('searchbox', { name: 'Filter by JSON pointer or JSONPath' })
    for (const size of WINDOW_SIZES) {
      await page.setViewportSize(size)
      await field.fill('garbage')
      await expect(getResponseRegion(page).getByText('not a path', { exact: true })).toBeVisible()
      const cut = await field.evaluate((input) => input.scrollWidth - input.clientWidth)
      expect([size.width, cut]).toEqual([size.width, 0])
      await field.fill('')
    }
  })
})
