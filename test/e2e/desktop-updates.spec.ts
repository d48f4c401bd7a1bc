import { buildUpdateDescription, startUpdateServer, type UpdateServer } from '../support/program/update-server.ts'
import { expect, test } from './fixtures.ts'
import { waitForConnection } from './support.ts'

const FEED_FILE = process.arch === 'arm64' ? '/latest-linux-arm64.yml' : '/latest-linux.yml'

let feed: UpdateServer
test.beforeEach(async ({ page }) => {
  feed = await startUpdateServer()
  await waitForConnection(page)
  await page.goto('app://bridge-inspector/#/settings')
})
test.afterEach(() => feed.close())

test('updates are off until an address is chosen, only the button checks for them, and what is refused or silent is said', async ({
  page,
}) => {
  const address = page.getByRole('textbox', { name: 'Address for updates' })
  await expect(page.getByText('No updates are looked for')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Check for updates' })).toHaveCount(0)
  await address.fill('http://example.org/')
  await expect(page.getByRole('alert')).toContainText('begins with https://')
  await address.fill(feed.url)
  await address.press('Enter')
  const check = page.getByRole('button', { name: 'Check for updates' })
  await expect(check).toBeVisible()
  expect(feed.requests).toEqual([])

  await check.click()
  await expect(page.getByRole('alert')).toContainText('describes no update for your system')
  expect(feed.requests.map(({ line }) => line)).toEqual([`GET ${FEED_FILE}`])
  const headers = feed.requests[0]?.headers ?? {}
  for (const name of ['authorization', 'cookie', 'origin', 'x-user-staging-id'])
    expect(headers).not.toHaveProperty(name)

  feed.files.set(
    FEED_FILE,
    buildUpdateDescription('99.0.0', 'app.deb', Buffer.from('x'), 'releaseNotes: |\n  - <b>All</b> better\n'),
  )
  await check.click()
  await expect(page.getByText('Version 99.0.0 is available.')).toBeVisible()
  await expect(page.getByText('This copy was not installed by a package')).toBeVisible()
  await page.getByText('What is new in 99.0.0').click()
  await expect(page.getByText('- All better')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Download' })).toHaveCount(0)

  await address.fill('')
  await address.press('Enter')
  await expect(check).toHaveCount(0)
  await expect(page.getByText('Version 99.0.0 is available.')).toHaveCount(0)

  await address.fill(feed.url)
  await address.press('Enter')
  feed.files.set(FEED_FILE, (response) => void response.writeHead(302, { Location: 'http://192.0.2.1/x.yml' }).end())
  await check.click()
  await expect(page.getByRole('alert')).toContainText('neither encrypted nor on this computer')
  feed.files.set(FEED_FILE, () => undefined)
  await check.click()
  await expect(page.getByRole('progressbar', { name: 'Checking for updates…' })).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('progressbar', { name: 'Checking for updates…' })).toHaveCount(0)
  await feed.close()
  await check.click()
  await expect(page.getByRole('alert')).toContainText('Nothing could be read from the address for updates')
})
