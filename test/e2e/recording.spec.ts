import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go, startOwnHost } from './support.ts'
import { CARD } from './writing.ts'

const run = promisify(execFile)

/** Reads the value with this label in the popover. */
async function readReported(page: Page, label: string): Promise<string> {
  const name = await page.getByRole('button', { name: new RegExp(`^Copy ${label}: `) }).getAttribute('aria-label')
  return name?.replace(`Copy ${label}: `, '') ?? ''
}

test('curl is recorded, obeys the lock, and its writes become operations @either @core', async ({ app }) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await go(page, '#/traffic')
  await page.getByRole('button', { name: 'Record a client' }).click()
  const panel = page.getByRole('region', { name: 'Record another client' })
  await panel.getByRole('button', { name: 'Start recording' }).click()
  await expect(panel.getByRole('button', { name: 'Stop recording' })).toBeVisible()
  await expectAccessible(page, 'recording')
  const [base, key] = [await readReported(page, 'Base URL'), await readReported(page, 'Key')]
  const curl = async (...args: string[]): Promise<string> => {
    const { stdout } = await run('curl', ['-s', '-w', '\n%{http_code}', '-H', `Authorization: Bearer ${key}`, ...args])
    return stdout
  }
  const write = ['-H', 'Content-Type: application/json', '-d', '{"role":"practice","height":200,"confirm":true}']

  expect(await curl(`${base}/library/study-sets`)).toMatch(/\n200$/)
  await page.keyboard.press('Escape')
  const row = page
    .getByRole('grid', { name: 'Traffic' })
    .getByRole('row')
    .filter({ hasText: '/library/study-sets' })
    .filter({ hasText: 'recorded' })
  await expect(row).toHaveCount(1)
  await expect(row).toContainText('curl')

  const refused = await curl(...write, `${base}/notes/${CARD}/blank-bands`)
  expect(refused).toMatch(/\n403$/)
  expect(refused).toContain('READ_ONLY')
  await page.getByRole('button', { name: 'Read-only' }).click()
  await page.getByRole('button', { name: 'Unlock until the app exits' }).click()
  await expect(page.getByRole('button', { name: 'Writing unlocked for now' })).toBeVisible()
  expect(await curl(...write, `${base}/notes/${CARD}/blank-bands`)).toMatch(/\n200$/)
  await go(page, '#/operations')
  const record = page.getByRole('grid', { name: 'Operations' }).getByRole('row').filter({ hasText: 'recorded: curl' })
  await expect(record).toHaveCount(1)

  // The status bar shows the recording in every place while it is on.
  const bar = page.getByRole('contentinfo')
  await bar.getByRole('link', { name: 'Recording' }).click()
  await expect(page).toHaveURL(/#\/traffic/)
  await bar.getByRole('button', { name: 'Stop recording' }).click()
  await expect(bar.getByRole('link', { name: 'Recording' })).toHaveCount(0)
  await expect(curl(`${base}/status`)).rejects.toThrow()
  await host.close()
})

test('--record prints the address with its key on the second line @both', async ({ app }) => {
  const { host, flags, token } = await startOwnHost()
  const page = await app.restart([...flags, '--record'])
  await waitForConnection(page)
  const listPrintedLines = (): string[] => app.readLog().split('\n')
  await expect.poll(() => listPrintedLines().some((line) => line.startsWith('Recording: '))).toBe(true)
  const line = listPrintedLines().find((text) => text.startsWith('Recording: ')) ?? ''
  const [, base = '', key = ''] =
    /^Recording: (http:\/\/127\.0\.0\.1:\d+\/bridge\/v1)\?key=([\w-]{43})$/.exec(line) ?? []
  if (app.mode === 'browser') {
    const ready = listPrintedLines().findIndex((text) => text.startsWith('Bridge Inspector: '))
    expect(listPrintedLines().indexOf(line)).toBe(ready + 1)
  }
  // Neither the key nor the client's own token may appear.
  for (const secret of [key, token]) {
    const { stdout } = await run('curl', ['-s', '-H', `Authorization: Bearer ${secret}`, `${base}/status`])
    expect(stdout).toContain('instanceNonce')
  }
  await host.close()
})
