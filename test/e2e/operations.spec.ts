import { stopTimers } from './clock.ts'
import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go, startOwnHost } from './support.ts'
import { CARD, compose, dialog, field, getVerifiedText, record, send, connectToSlowHost } from './writing.ts'

test('a write is shown, previewed, sent once, and proven by the read-back @both @core', async ({ page }) => {
  await waitForConnection(page)
  await compose(page, 'Set the title')
  await field(page, 'text').fill('Atlas, renamed')
  await dialog(page).getByRole('button', { name: 'Review' }).click()
  await expect(dialog(page)).toContainText(`POST /bridge/v1/notes/${CARD}/title`)
  await expect(dialog(page)).toContainText('Authorization: Bearer ••••')
  await expect(dialog(page)).toContainText('Added automatically: confirm')
  await expectAccessible(page, 'review of a write')
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  await expect(dialog(page)).toContainText('Refused as expected')
  await expect(dialog(page).getByRole('region', { name: 'Preview result' }).first()).toBeInViewport()
  await dialog(page).getByRole('button', { name: 'Send', exact: true }).dblclick()
  await expect(dialog(page)).toContainText(getVerifiedText())
  await expect(dialog(page).getByRole('table', { name: 'Before and after' })).toContainText('Atlas, renamed')
  await dialog(page).getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Atlas, renamed')
  // An outcome that the sheet has shown adds no badge.
  await expect(page.getByRole('link', { name: /Operations/ })).toHaveAccessibleName('Operations')
  await go(page, '#/operations')
  await expect(page.getByRole('grid', { name: 'Operations' })).toHaveAttribute('aria-rowcount', '2')
  // The row shows where the write was composed, and how long it took.
  const row = page.getByRole('grid', { name: 'Operations' }).getByRole('row').nth(1)
  await expect(row).toContainText('Card')
  await expect(row).toContainText(/\d ms|\d s/)
})

test('a double click on Send leaves the outcome open, and a form explains invalid input and the host’s error', async ({
  page,
}) => {
  await test.step('a double click on Send leaves the outcome open, even if Close appears under the pointer', async () => {
    await waitForConnection(page)
    await compose(page, 'Set the title')
    await field(page, 'text').fill('Atlas, renamed')
    await dialog(page).getByRole('button', { name: 'Review' }).click()
    const sends = dialog(page).getByRole('button', { name: 'Send', exact: true })
    await expect(sends).toBeEnabled()
    const box = await sends.boundingBox()
    if (!box) throw new Error('Send has no place on the screen')
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
    await expect(dialog(page)).toContainText(getVerifiedText())
    await page.mouse.down({ clickCount: 2 })
    await page.mouse.up({ clickCount: 2 })
    await expect(dialog(page)).toContainText(getVerifiedText())
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await expect(dialog(page)).toBeHidden()
  })
  await test.step('a form shows invalid input at its field, and explains the host’s error', async () => {
    await compose(page, 'Append a blank band')
    await field(page, 'height').fill('tall')
    await dialog(page).getByRole('button', { name: 'Review' }).click()
    await expect(dialog(page).getByRole('alert')).toHaveText('Enter a number.')
    await field(page, 'height').fill('9001')
    await field(page, 'role').fill('practice')
    await send(page)
    await expect(dialog(page).getByRole('alert')).toContainText('NO_SELECTION')
    await expect(dialog(page)).toContainText('Nothing was created.')
    await expect(dialog(page)).toContainText('Refused, and the read-back is unchanged.')
  })
})

test('safety 41: a double click on Review sends nothing, even if Send appears under the pointer', async ({ page }) => {
  await waitForConnection(page)
  await page.setViewportSize({ width: 1000, height: 650 })
  await compose(page, 'Record a practice verdict')
  await expect(dialog(page)).toContainText(/expectedRevision is \d+/)
  await field(page, 'self').fill('again')
  await dialog(page).getByText('Extra fields').click()
  const box = await dialog(page).getByRole('button', { name: 'Review' }).boundingBox()
  if (!box) throw new Error('Review has no place on the screen')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2] as const
  const startTimers = await stopTimers(page)
  await page.mouse.click(x, y)
  await expect(dialog(page).getByRole('button', { name: 'Send', exact: true })).toBeVisible()
  await page.mouse.click(x, y)
  await startTimers()
  await expect(dialog(page).getByRole('button', { name: 'Send', exact: true })).toBeEnabled()
  await go(page, '#/operations')
  await expect(page.getByRole('grid', { name: 'Operations' })).toHaveAttribute('aria-rowcount', '1')
})

test('a pencil commit is watched to its outcome, and a second one in its window is announced @core', async ({
  app,
}) => {
  const { host, page } = await connectToSlowHost(app, 600_000)
  await compose(page, 'Commit pencil strokes')
  await field(page, 'surfaceId').fill('main')
  await send(page)
  await expect(dialog(page)).toContainText('nothing is known of the canvas yet')
  await dialog(page).getByRole('button', { name: 'Close' }).click()
  await compose(page, 'Commit pencil strokes')
  await expect(dialog(page).getByRole('note')).toContainText(/Commit .* in window .* is not finished/)
  await field(page, 'surfaceId').fill('main')
  await dialog(page).getByRole('button', { name: 'Review' }).click()
  await expect(dialog(page)).toContainText('Another commit in this window is not finished')
  await dialog(page).getByRole('link', { name: 'Open the unfinished commit' }).click()
  // One check comes before the end, so that the record has both values.
  await expect(record(page)).toContainText(/watching · [1-9]/)
  host.state.writingDesk.finishCommits()
  await expect(record(page).getByRole('heading', { name: 'Settled' })).toBeVisible({ timeout: 25_000 })
  await expect(record(page)).toContainText('Saved and verified.')
  await expect(
    record(page).getByRole('img', { name: /Prepared .* → Sent .* → Accepted, pending .* → Settled/ }),
  ).toBeVisible()
  await expect(record(page).getByRole('row', { name: 'settled false true' })).toBeVisible()
  // The list beside the record shows the whole path.
  await page.setViewportSize({ width: 1440, height: 900 })
  const end = page.getByRole('grid', { name: 'Operations' }).locator('.request-path .end').first()
  await expect.poll(() => end.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await expectAccessible(page, 'operation record')
  await host.close()
})

test('safety 40: a locked profile sends nothing until it is unlocked, and says so in the status bar @core', async ({
  app,
}) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  try {
    await waitForConnection(page)
    const card = host.state.library.sets[0]?.cards[3]
    await go(page, `#/notes/${card?.noteid ?? ''}`)
    await expect(page.getByRole('button', { name: 'Read-only' })).toBeVisible()
    await page.getByRole('main').getByRole('button', { name: 'Write…' }).click()
    await page.getByRole('menuitem', { name: 'Set the title', exact: true }).click()
    await expect(dialog(page).getByRole('button', { name: 'Review' })).toBeDisabled()
    await dialog(page).getByRole('button', { name: 'Unlock until the app exits' }).click()
    await field(page, 'text').fill('Unlocked')
    await send(page)
    await expect(dialog(page)).toContainText(getVerifiedText())
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    expect(card?.title).toBe('Unlocked')
    await page.getByRole('button', { name: 'Writing unlocked for now' }).click()
    await page.getByRole('button', { name: 'Make it read-only' }).click()
    await expect(page.getByRole('button', { name: 'Read-only' })).toBeVisible()
  } finally {
    await host.close()
  }
})
