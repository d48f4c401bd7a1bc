import type { Page } from '@playwright/test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeKeyFile } from '../../electron/browser-host/browser-launch.ts'
import { expect, test, type RunningApp } from './fixtures.ts'
import { waitForConnection } from './support.ts'

test.skip(({ mode }) => mode === 'electron', 'the desktop app listens on no port')

/** The addresses the program printed, oldest first. */
const listPrintedLinks = (app: RunningApp): string[] =>
  app.readLog().match(/http:\/\/127\.0\.0\.1:\d+\/\?key=[\w-]+/g) ?? []

/** Records every request of a page: where it went and with which cookies. */
async function startListener(): Promise<{ server: Server; port: number; cookies: string[] }> {
  const cookies: string[] = []
  const server = createServer((request, response) => {
    cookies.push(request.headers.cookie ?? '')
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>other</title>')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return { server, port: (server.address() as AddressInfo).port, cookies }
}

const openTab = async (page: Page, url: string): Promise<Page> => {
  const tab = await page.context().newPage()
  await tab.goto(url)
  return tab
}

/**
 * An address that was used makes the program print a fresh one, unless it has done so already, but
 * none within 3 s of another.
 */
async function getFreshLink(app: RunningApp, page: Page, used: string): Promise<string> {
  const askForFreshLink = async (): Promise<string | undefined> => {
    await (await openTab(page, used)).close()
    return listPrintedLinks(app).at(-1)
  }
  await expect.poll(askForFreshLink, { intervals: [500] }).not.toBe(used)
  return listPrintedLinks(app).at(-1) ?? ''
}

test('safety 25: an address pasted into another tab opens there; neither a history nor a script nor another server gets in', async ({
  app,
  page,
}) => {
  await waitForConnection(page)
  await test.step('no history keeps the key or the ticket, and scripts cannot read the cookie', async () => {
    const [url = ''] = listPrintedLinks(app)
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', domain: '127.0.0.1', expires: -1 })
    expect(await page.evaluate(() => document.cookie)).toBe('')
    expect(await page.evaluate(() => performance.getEntriesByType('navigation').map(({ name }) => name))).not.toContain(
      url,
    )
    const session = await page.context().newCDPSession(page)
    const { entries } = await session.send('Page.getNavigationHistory')
    for (const entry of entries) expect(entry.url).not.toMatch(/key=|enter=/)
  })
  await test.step('an address pasted into another tab opens there while a tab is open', async () => {
    const second = await openTab(page, `${app.baseUrl}/#/settings`)
    await waitForConnection(second)
    expect(second.url()).toBe(`${app.baseUrl}/#/settings`)
    await page.close()
    await second.reload()
    await waitForConnection(second)
    expect(listPrintedLinks(app)).toHaveLength(1)
  })
  await test.step('a server on another port that gets the cookie can do nothing with it', async () => {
    const { server, port, cookies } = await startListener()
    const other = await openTab(page, `http://127.0.0.1:${port}/`)
    // Cookies ignore ports: this is why the page has a secret.
    await expect.poll(() => cookies.some((cookie) => cookie.includes('bridge-inspector-'))).toBe(true)
    const cookie = cookies.find((cookie) => cookie.includes('bridge-inspector-')) ?? ''
    const origin = app.baseUrl ?? ''
    const ask = (path: string, body: unknown): Promise<Response> =>
      fetch(origin + path, { method: 'POST', headers: { cookie, origin }, body: JSON.stringify(body) })
    const entered = await ask('/ipc/enter', {})
    expect([entered.status, await entered.text()]).toEqual([403, expect.not.stringContaining('secret')])
    expect((await ask('/ipc/call', { id: '1', method: 'app.info', input: {} })).status).toBe(401)
    expect(await other.evaluate(() => sessionStorage.length)).toBe(0)
    await other.close()
    server.close()
  })
})

test('safety 25: if no tab is open, the terminal shows a fresh address, and that one works', async ({ app, page }) => {
  await waitForConnection(page)
  const context = page.context()
  const second = await context.newPage()
  await page.close()
  await second.goto(`${app.baseUrl}/#/settings`)
  for (const place of ['library', 'study-sets/X/tree', 'study-sets/X/palette', 'search', 'search?q=a', 'lab']) {
    await second.goto(`${app.baseUrl}/#/${place}`)
    await expect(second.getByRole('main').getByRole('alert').first()).toContainText('not let in')
    await expect(second.getByRole('main')).not.toContainText('Choose a host')
  }
  await expect.poll(() => listPrintedLinks(app).length).toBe(2)
  const third = await context.newPage()
  await third.goto(listPrintedLinks(app)[1] ?? '')
  await waitForConnection(third)
  expect(third.url()).not.toMatch(/key=|enter=/)
  // The waiting tab starts working by itself.
  await second.reload()
  await waitForConnection(second)
})

test('safety 25, safety 47: a used key opens a page that says what to do; a fresh one is let in from another site and by the redirecting file', async ({
  app,
  page,
}) => {
  await waitForConnection(page)
  await test.step('a used key opens that page in another browser, too', async () => {
    const [url = ''] = listPrintedLinks(app)
    for (const context of [page.context(), await page.context().browser()?.newContext()]) {
      const tab = await context?.newPage()
      const response = await tab?.goto(url)
      expect(response?.status()).toBe(403)
      await expect(tab?.getByText('works only once') ?? page.locator('none')).toBeVisible()
      await tab?.close()
    }
  })
  await test.step('a link on another site opens the app, because the user clicked it', async () => {
    const { server, port } = await startListener()
    const fresh = await getFreshLink(app, page, listPrintedLinks(app)[0] ?? '')
    const context = await page.context().browser()?.newContext()
    const tab = await context?.newPage()
    if (!tab) throw new Error('no tab')
    await tab.goto(`http://localhost:${port}/`)
    await tab.evaluate((to) => {
      location.href = to
    }, fresh)
    await waitForConnection(tab)
    await context?.close()
    server.close()
  })
  await test.step('the redirecting file opens the app, and no history keeps the key', async () => {
    const fresh = await getFreshLink(app, page, listPrintedLinks(app).at(-1) ?? '')
    const context = await page.context().browser()?.newContext()
    const tab = await context?.newPage()
    if (!context || !tab) throw new Error('no tab')
    const file = writeKeyFile(fresh)
    await tab.goto(file.url)
    await waitForConnection(tab)
    file.remove()
    const { entries } = await (await context.newCDPSession(tab)).send('Page.getNavigationHistory')
    for (const entry of entries) expect(entry.url).not.toMatch(/key=|enter=/)
    await context.close()
  })
})

test('logging out ends every tab of this browser, and no other browser', async ({ app, page }) => {
  await waitForConnection(page)
  const second = await openTab(page, `${app.baseUrl}/#/settings`)
  await waitForConnection(second)
  await (await openTab(page, listPrintedLinks(app)[0] ?? '')).close()
  await expect.poll(() => listPrintedLinks(app).length).toBe(2)
  const context = await page.context().browser()?.newContext()
  const other = await context?.newPage()
  if (!other) throw new Error('no tab')
  await other.goto(listPrintedLinks(app)[1] ?? '')
  await waitForConnection(other)
  await second.getByRole('button', { name: 'Log out' }).click()
  for (const tab of [second, page]) await expect(tab.getByText('This browser has no access.')).toBeVisible()
  await other.reload()
  await waitForConnection(other)
  await context?.close()
})
