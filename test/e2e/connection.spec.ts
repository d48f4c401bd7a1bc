import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go, startOwnHost } from './support.ts'

const status = { name: 'Connection' } as const

test('safety 39: a restart of the host is announced and recorded, and earlier data is marked @either @core', async ({
  app,
}) => {
  const { host, flags } = await startOwnHost({ nodes: 100 })
  const page = await app.restart(flags)
  await waitForConnection(page)
  await go(page, '#/library')
  await expect(page.getByRole('link', { name: 'Calculus II' })).toBeVisible()
  await host.restart(1_500)
  await waitForConnection(page)
  await expect(page.getByText(/The host restarted at/)).toBeVisible({ timeout: 20_000 })
  await expect(page.getByText('Read before the host restarted').first()).toBeVisible()
  await page.getByRole('button', { name: 'Reload' }).first().click()
  await expect(page.getByText('Read before the host restarted')).toBeHidden()
  await expect(page.getByRole('button', { name: '1 interruption' })).toBeVisible()
  await host.close()
})

test('a lost host is reported at once and retried automatically', async ({ app }) => {
  const { host, flags } = await startOwnHost({ nodes: 100 })
  const page = await app.restart(flags)
  await waitForConnection(page)
  await host.close()
  await expect(page.getByRole('status', status)).toHaveText(/^\s*Offline/, { timeout: 20_000 })
  await go(page, '#/connect')
  await expect(page.getByRole('alert').filter({ hasText: 'Nothing is listening at' }).first()).toBeVisible()
  await page.getByRole('button', { name: 'Diagnose', exact: true }).click()
  const doctor = page.getByRole('region', { name: 'Connection diagnosis' })
  await expect(doctor.getByRole('listitem').nth(1)).toContainText('failed')
  await expect(doctor).toContainText('Start the host')
  await expect(doctor.getByText('skipped', { exact: true })).toHaveCount(4)
})

test('a wrong token is shown as Unauthorized, and setting the right one connects @both @core', async ({ app }) => {
  const { host, token } = await startOwnHost({ nodes: 100 })
  const page = await app.restart([])
  await go(page, '#/connect')
  await page.getByRole('button', { name: 'Add a host' }).click()
  await page.getByLabel('Address').fill(`127.0.0.1:${host.port}`)
  await page.getByLabel('Name').fill('My host 我的宿主')
  await page.getByRole('textbox', { name: 'Token' }).fill('mnb0.wrong-token')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Test' }).click()
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Token' })).toContainText('failed')
  await expect(page.getByRole('status', status)).toHaveText(/^\s*Not connected/)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('status', status)).toHaveText(/^\s*Not connected/)
  await page.getByRole('button', { name: 'Connect to My host 我的宿主' }).click()
  await expect(page.getByRole('status', status)).toHaveText(/^\s*Unauthorized/)
  const field = page.getByRole('alert').getByRole('textbox', { name: 'Token' })
  await field.fill('mnb0.wrong-again')
  await page.getByRole('button', { name: 'Connect with this token' }).click()
  await expect(field).toHaveValue('')
  await expect(page.getByRole('status', status)).toHaveText(/^\s*Unauthorized/)
  // Every error about a missing or wrong token contains the token field.
  await go(page, '#/library')
  await expect(page.getByRole('heading', { name: 'Library' })).toBeVisible()
  await field.fill(token)
  await page.keyboard.press('Enter')
  await waitForConnection(page)
  await expect(page.getByRole('link', { name: 'Calculus II' })).toBeVisible()
  await go(page, '#/connect')
  await page.getByRole('button', { name: 'Edit My host 我的宿主' }).click()
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await waitForConnection(page)
  await expect(page).toHaveURL(/#\/library/)
  await host.close()
})

test('safety 4: another host address needs another token, and the page’s own address cannot set one', async ({
  app,
}) => {
  const { host, flags } = await startOwnHost({ nodes: 100 })
  const requests: (string | undefined)[] = []
  const other = createServer((request, response) => {
    requests.push(request.headers.authorization)
    response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const page = await app.restart(flags)
  await waitForConnection(page)
  await go(page, `#/connect?baseUrl=http://127.0.0.1:${port}&base-url=http://127.0.0.1:${port}`)
  await page.waitForTimeout(500)
  await expect(page.getByRole('status', status)).toHaveText(/^\s*Online/)
  await page.getByRole('button', { name: /^Edit / }).click()
  await page.getByLabel('Address').fill(`http://127.0.0.1:${port}`)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('no token')).toBeVisible()
  await page
    .getByRole('button', { name: /^(Reconnect|Connect)/ })
    .first()
    .click()
  await expect.poll(() => requests.length).toBeGreaterThan(0)
  expect(requests.every((value) => value === undefined)).toBe(true)
  other.close()
  await host.close()
})

test('from an empty start, addresses other than http and https are refused, and the demo library can be opened', async ({
  app,
}) => {
  const page = await app.restart([])
  await expect(page).toHaveURL(/#\/connect/)
  await expect(page.getByRole('status', status)).toHaveText(/^\s*Not connected/)
  await expect(page.getByRole('main')).toContainText('Bridge Inspector shows what a note-taking host holds')
  await expectAccessible(page, 'the first run')
  await page.getByRole('button', { name: 'Connect to my host' }).click()
  await expect(page.getByRole('dialog')).toContainText('usually in ~/.config/mn-bridge/token or in MN_BRIDGE_TOKEN')
  for (const [address, sentence] of [
    ['file:///etc/passwd', 'Only http:// and https://'],
    ['javascript:alert(1)', 'Only http:// and https://'],
    ['http://user:secret@127.0.0.1', 'no user, password'],
  ] as const) {
    await page.getByLabel('Address').fill(address)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('dialog').getByRole('alert')).toContainText(sentence)
  }
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.getByRole('button', { name: 'Open the demo library' }).click()
  await waitForConnection(page)
  await expect(page.getByRole('link', { name: 'Calculus II' })).toBeVisible()
})
