import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go, openMore, openTree } from './support.ts'
import { dialog, getAcceptedPattern, send } from './writing.ts'

test('a print plan is drawn as pages and exported unchanged; heading candidates load range by range, and a text is found on its page', async ({
  page,
}) => {
  await test.step('a print plan is drawn as pages, works by keyboard, is exported unchanged, and says that a branch is missing', async () => {
    await waitForConnection(page)
    await openTree(page, /系统解剖学/)
    await openMore(page, 'Print')
    const sheets = page.getByRole('listbox', { name: 'Planned pages' })
    await expect(sheets.getByRole('option').first()).toHaveAccessibleName(/^Page 1, Overview, \d+ cards/)
    await sheets.focus()
    await page.keyboard.press('ArrowRight')
    await expect(sheets.getByRole('option', { name: /^Page 2,/ })).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByRole('grid', { name: 'Cards of the page' }).getByRole('link').first()).toBeVisible()

    await page.getByText('Card flow').click()
    await expect(sheets.getByRole('option').first()).toHaveAccessibleName(/^Page 1, Card, 1 card$/)
    await expect(page).toHaveURL(/mode=cardFlow/)
    await sheets.focus()
    await page.keyboard.press('End')
    const last = sheets.locator('[aria-selected=true]')
    await expect(last).toHaveAttribute('aria-posinset', (await last.getAttribute('aria-setsize')) ?? '')
    expect(await sheets.getByRole('option').count()).toBeLessThan(300)

    await page.getByRole('button', { name: 'Export as PDF…' }).click()
    await dialog(page).getByRole('button', { name: 'Review' }).click()
    await expect(dialog(page)).toContainText(/(runs|executes) at once/)
    await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
    await expect(dialog(page)).toContainText(getAcceptedPattern())

    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await page.evaluate(() => {
      location.hash += '&root=NO-SUCH'
    })
    await expect(page.getByRole('alert')).toContainText('NOTE_NOT_FOUND')
  })
  await test.step('heading candidates load range by range, and a text is found on its page', async () => {
    await openTree(page, /系统解剖学/)
    await page.getByRole('link', { name: 'Documents', exact: true }).click()
    await page.getByRole('grid').getByRole('link').first().click()
    await page.getByRole('link', { name: 'Contents', exact: true }).click()
    await expect(page.getByText('Not scanned yet')).toBeVisible()
    await page.getByLabel('to page').fill('40')
    await page.getByLabel('to page').press('Enter')
    const grid = page.getByRole('grid', { name: 'Heading candidates' })
    await expect(page.getByText(/on 15 pages/)).toBeVisible()
    await page.getByRole('button', { name: 'Go on at page 16' }).click()
    await expect(page.getByText(/on (2\d|3\d) pages/)).toBeVisible()
    await expectAccessible(page, 'heading candidates')
    const line = await grid.getByRole('row').nth(1).getByRole('gridcell').nth(1).innerText()
    await page.getByRole('button', { name: 'Write as table of contents…' }).click()
    await expect(dialog(page)).toContainText('useOriginal')
    await page.keyboard.press('Escape')

    await page.getByText('Find a text').click()
    await page.getByLabel('Text to find').fill(line)
    await page.getByLabel('Text to find').press('Enter')
    const result = page.getByRole('region', { name: 'Result' })
    await expect(result).toContainText(line)
    await expect(result).toContainText('exact')
    await page.getByLabel('Text to find').fill('no such words')
    await page.getByLabel('Text to find').press('Enter')
    await expect(result).toContainText('Not found')
    await expect(result).toContainText('The page does not hold the text.')
    await expectAccessible(page, 'a text on a page')

    await page.getByText('Export', { exact: true }).click()
    await page.getByRole('button', { name: 'Export…' }).click()
    await expect(dialog(page)).toBeVisible()
  })
})

test('the synchronisation shows its new events, the installation code is shown once, agents’ tools are listed, and bundles can be run and discarded', async ({
  app,
  page,
}) => {
  await test.step('the synchronisation shows its new events, the installation code is shown once, and agents’ tools are listed', async () => {
    await waitForConnection(page)
    await go(page, '#/host?view=sync')
    await expect(page.getByText('42 events after sequence 0')).toBeVisible()
    await page.getByRole('button', { name: 'Recheck…' }).click()
    await send(page)
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await expect(page.getByText(/4[3-9] events after sequence 0/)).toBeVisible()

    await go(page, '#/host?view=setup')
    await page.getByRole('button', { name: 'Create a code' }).click()
    await expect(page.getByText(/install\?code=\d{6}/)).toBeVisible()
    await expectAccessible(page, 'installation')
    const code = /code=(\d{6})/.exec(await page.getByText(/install\?code=/).innerText())?.[1] ?? 'none'
    expect(app.readLog()).not.toContain(code)
    await go(page, '#/host')
    await expect(page.getByText('Instance nonce')).toBeVisible()
    await go(page, '#/host?view=setup')
    await expect(page.getByText(code)).toHaveCount(0)
    await page.getByRole('button', { name: 'List the tools…' }).click()
    await send(page)
    await dialog(page).getByRole('link', { name: 'Open the record' }).click()
    await expect(page.getByRole('main')).toContainText('mn_guide')
  })
  await test.step('bundles can be run at once and discarded from their list', async () => {
    await go(page, '#/bundles')
    const grid = page.getByRole('grid', { name: 'Bundles' })
    await grid.getByRole('row', { name: /bundle-3/ }).click()
    const actions = page.getByRole('group', { name: 'Actions of the bundle' })
    await expect(actions.getByRole('button', { name: 'Submit…' })).toHaveCount(0)
    await expect(actions).toContainText('runs as soon as it is sent')
    await actions.getByRole('button', { name: 'Discard…' }).click()
    await send(page)
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await expect(grid.getByRole('row', { name: /bundle-3/ })).toHaveCount(0)
    await grid.getByRole('row', { name: /bundle-4/ }).click()
    await expect(actions.getByRole('button', { name: 'Show in the host…' })).toBeVisible()
    // Beside the open inspector, the action has no room in the bar.
    await page.getByRole('main').getByRole('button', { name: 'All tools' }).click()
    await page.getByRole('button', { name: 'Prepare a bundle…' }).click()
    await expect(dialog(page)).toBeVisible()
  })
})

test.describe('a host without these routes', () => {
  test.use({ flags: [] })

  test('gets an explanation at their addresses, and no links to them', async ({ app }) => {
    const routes = ['/status', '/capabilities', '/library/study-sets'].map((path) => ({ method: 'GET', path }))
    const requests: string[] = []
    const server = createServer((request, response) => {
      const path = (request.url ?? '').replace('/bridge/v1', '')
      requests.push(path)
      const responses: Record<string, unknown> = {
        '/status': { app: 'Small', bridgeApiVersion: '0.3', authorized: true },
        '/capabilities': { routes },
        '/library/study-sets': { studySets: [{ topicid: 'S', title: 'One set' }] },
      }
      const status = Object.hasOwn(responses, path) ? 200 : 404
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(responses[path] ?? { error: { code: 'ROUTE_NOT_FOUND', message: 'none' } }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const page = await app.restart(['--base-url', `http://127.0.0.1:${(server.address() as AddressInfo).port}`])
    await waitForConnection(page)
    await go(page, '#/library')
    await expect(page.getByRole('link', { name: 'One set' })).toBeVisible()
    await expect(page.getByText('Folders', { exact: true })).toHaveCount(0)
    for (const [hash, route] of [
      ['#/library?list=folders', 'GET /library/folders'],
      ['#/study-sets/S/print', 'POST /study-sets/{topicid}/mindmap-print/preview'],
      ['#/documents/B/contents', 'GET /documents/{bookmd5}/toc-candidates'],
      ['#/documents/B/contents?view=locate', 'POST /documents/{bookmd5}/locate'],
      ['#/host?view=setup', 'POST /install/code'],
    ] as const) {
      await go(page, hash)
      await expect(page.getByText('This host does not offer this').first()).toBeVisible()
      await expect(page.getByText(`do not list ${route}.`)).toBeVisible()
    }
    await go(page, '#/study-sets/S/tree')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await expect(page.getByRole('menuitem', { name: 'Palette' })).toBeVisible()
    await expect(page.getByRole('menuitem', { name: 'Print', exact: true })).toHaveCount(0)
    await page.keyboard.press('Escape')
    expect(requests.filter((path) => /folders|print|toc-|locate|install|mcp/.test(path))).toEqual([])
    server.closeAllConnections()
    server.close()
  })
})
