import os from 'node:os'
import { respondJson } from '../support/hosts/behaviours.ts'
import { startMisbehavingHostOnKnownPort, type MisbehavingHost } from '../support/hosts/misbehaving-host.ts'
import { expect, test } from './fixtures.ts'
import { go } from './support.ts'

const token = 'mnb0.found-on-this-machine-0123456789'
test.use({ flags: [], env: { MN_BRIDGE_TOKEN: token } })

const countTokens = (host: MisbehavingHost): number =>
  host.requests.filter(({ headers }) => headers.some(([name]) => name.toLowerCase() === 'authorization')).length

test('safety 48: a token found on this machine goes to an unannounced port only after a question', async ({ page }) => {
  const host = await startMisbehavingHostOnKnownPort(
    respondJson({ app: 'Stranger', bridgeApiVersion: '1', instanceNonce: 'n' }),
  )
  await go(page, '#/connect')
  await page.getByRole('button', { name: 'Rescan' }).click()
  const row = page.getByRole('listitem').filter({ hasText: `127.0.0.1:${host.port}` })
  await expect(row).toContainText('found by port scan')
  const question = page.getByRole('dialog', { name: 'Send your token to this program?' })

  await row.getByRole('button', { name: 'Connect' }).click()
  await expect(question).toContainText(String(host.port))
  await expect(question).toContainText('No bridge.json announces this port.')
  await expect(question).toContainText('environment variable MN_BRIDGE_TOKEN')
  if (process.platform === 'linux') await expect(question).toContainText(os.userInfo().username)
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(question).toBeHidden()

  await row.getByRole('button', { name: 'Connect' }).click()
  await question.getByRole('button', { name: 'Connect without the token' }).click()
  const dialog = page.getByRole('dialog', { name: 'Connect to Stranger' })
  await expect(dialog.getByRole('textbox', { name: /^Token/ })).toBeFocused()
  await page.keyboard.press('Escape')
  expect(countTokens(host)).toBe(0)
  expect(host.getReceivedBytes().toString('latin1')).not.toContain(token)

  await row.getByRole('button', { name: 'Connect' }).click()
  await question.getByRole('button', { name: 'Send the token' }).click()
  await expect.poll(() => countTokens(host)).toBeGreaterThan(0)
  await host.close()
})
