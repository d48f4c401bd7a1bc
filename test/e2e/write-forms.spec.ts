import { expect, test } from './fixtures.ts'
import { Steps } from './steps.ts'
import { waitForConnection, expectAccessible, go } from './support.ts'
import { CARD, compose, dialog, field, openRecord, getVerifiedText, record, send, SET } from './writing.ts'

test.beforeEach(async ({ page }) => {
  await waitForConnection(page)
})

test('a blank band is offered as a comment, a body written as JSON is sent as written, the host’s screen is taken over after a warning, and commands of a session keep their run', async ({
  page,
}) => {
  await test.step('a blank band is appended and read back, and is then offered as the comment of a verdict', async () => {
    await compose(page, 'Append a blank band')
    await field(page, 'role').fill('practice')
    await field(page, 'height').fill('120')
    await send(page)
    // The host does not report `persisted`, so the returned band and the read-back prove the write.
    await expect(dialog(page)).toContainText('Saved and verified.')
    await expect(dialog(page)).toContainText('According to the response:')
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await expect(dialog(page)).toBeHidden()

    await compose(page, 'Record a practice verdict')
    // The comments are known once the card was read.
    await expect(dialog(page)).toContainText(/expectedRevision is \d+/)
    await field(page, 'commentId').click()
    const choice = dialog(page).getByRole('listbox', { name: 'Suggestions' }).getByRole('option').first()
    await expect(choice).toContainText('blank')
    await expectAccessible(page, 'the comments of a card')
    await expect(field(page, 'commentId')).toHaveAttribute('aria-expanded', 'true')
    await page.keyboard.press('ArrowDown')
    await expect(field(page, 'commentId')).toHaveAttribute('aria-activedescendant', /./)
    await choice.click()
    await expect(field(page, 'commentId')).toHaveValue(/^[0-9A-F-]{36}$/)

    await go(page, '#/operations')
    await page.getByRole('row', { name: /Append a blank band/ }).click()
    await expect(record(page)).toContainText('POST /notes/')
    await expect(record(page).getByRole('table', { name: 'Before and after' })).toContainText('120')
  })
  await test.step('a body written as JSON is sent exactly as written, and an error shows its position', async () => {
    await compose(page, 'Set the title')
    // The form fills in the beginning of the card's current title.
    await expect(field(page, 'expectedPrefix')).not.toHaveValue('')
    await field(page, 'text').fill('By hand')
    await dialog(page).getByText('JSON', { exact: true }).click()
    const body = field(page, 'Body as JSON')
    await expect(body).toHaveValue(/"text": "By hand"/)
    await body.fill('{"text": "By hand",\n "markdown": }')
    await expect(dialog(page).getByRole('alert')).toContainText('line 2, column 14')
    await expectAccessible(page, 'a body as JSON')
    await body.fill('{"text": "By hand", "colour": 12345678901234567890}')
    await expect(dialog(page).getByRole('note')).toContainText('/colour is not documented')
    await send(page)
    await openRecord(page)
    await expect(record(page)).toContainText('12345678901234567890')
  })
  await test.step('showing a card or a study set in the host warns before it takes over the screen', async () => {
    const warning = 'This takes over the screen of whoever is using the host.'
    await compose(page, 'Show the card in the host')
    await dialog(page).getByRole('button', { name: 'Review' }).click()
    await expect(dialog(page).getByRole('list', { name: 'Before you send' })).toContainText(warning)
    await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
    await openRecord(page)
    await expect(record(page)).toContainText(`POST /notes/${CARD}/focus`)

    await go(page, '#/library')
    await page.getByRole('row', { name: /Calculus II/ }).click()
    await page.getByRole('button', { name: 'Show in the host…' }).click()
    await expect(field(page, 'topicid')).toHaveValue(/^[0-9A-F-]{36}$/)
    await dialog(page).getByRole('button', { name: 'Review' }).click()
    await expect(dialog(page)).toContainText(warning)
    await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
    await expect(dialog(page).getByRole('link', { name: 'Open the record' })).toBeVisible()
  })
  await test.step('session commands are confirmed by their record, which is not called a saved canvas, and keep their run', async () => {
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await expect(dialog(page)).toBeHidden()
    await compose(page, 'Pause the practice session')
    await field(page, 'runId').fill('run-77')
    await field(page, 'runId').press('Tab')
    await send(page)
    await expect(dialog(page)).toContainText('Accepted, pending')
    await openRecord(page)
    await expect(record(page).getByRole('heading', { name: 'Recorded' })).toBeVisible()

    for (const title of ['Begin a focus-card attempt', 'Reserve the next attempt']) {
      await test.step(title, async () => {
        await compose(page, title)
        await expect(field(page, 'requestId')).toHaveValue(/^[0-9a-f-]{36}$/)
        await expect(field(page, 'runId')).toHaveValue('run-77')
        // The contract does not say that a question is a card, so the card's id is not filled in.
        await expect(field(page, 'questionId')).toHaveValue('')
        await field(page, 'questionId').fill('question-1')
        await send(page)
        await expect(dialog(page)).toContainText('nothing is known of the canvas yet')
        await openRecord(page)
        await expect(record(page).getByRole('heading', { name: 'Recorded' })).toBeVisible()
        await expect(record(page)).toContainText('The canvas may still be unsaved.')
        await expect(record(page).getByRole('img', { name: /Accepted, pending .* → Recorded/ })).toBeVisible()
      })
    }
  })
})

test('the keyboard alone leads to a write’s record; hashtags, colors and a verdict show what they change', async ({
  page,
}) => {
  await test.step('the keyboard alone leads a write from the palette to its record', async () => {
    await go(page, `#/notes/${CARD}`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('C1')
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('set the title')
    await expect(page.getByRole('option', { name: /Set the title/ })).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(field(page, 'noteid')).toHaveValue(CARD)
    await field(page, 'text').focus()
    await page.keyboard.type('By keyboard')
    await page.keyboard.press('Enter')
    const button = dialog(page).getByRole('button', { name: 'Send', exact: true })
    await expect(button).toBeEnabled()
    for (
      let steps = 0;
      steps < 30 && !(await button.evaluate((element) => element === document.activeElement));
      steps += 1
    ) {
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await expect(dialog(page)).toContainText(getVerifiedText())
    await page.keyboard.press('Escape')
    await expect(dialog(page)).toBeHidden()
  })
  await test.step('hashtags list only what changes, and colors are chosen from the palette, in the form or on the card', async () => {
    await compose(page, 'Change hashtags')
    await expect(dialog(page)).toContainText('The card has no hashtags.')
    const operation = dialog(page).getByRole('combobox', { name: /^operation/ })
    await operation.selectOption('add')
    await field(page, 'hashtags').fill('#one\n#two')
    await send(page)
    await expect(dialog(page)).toContainText('Saved and verified.')
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await compose(page, 'Change hashtags')
    await expect(dialog(page)).toContainText('Current: #one #two')
    await operation.selectOption('remove')
    await field(page, 'hashtags').fill('#one')
    await send(page)
    const changes = dialog(page).getByRole('table', { name: 'Before and after' })
    await expect(changes).toContainText('#one')
    await expect(changes).not.toContainText('#two')
    await dialog(page).getByRole('button', { name: 'Close' }).click()

    await compose(page, 'Change color and fill')
    const swatch = dialog(page).getByRole('group', { name: 'Palette of the study set' }).getByRole('button').nth(5)
    await swatch.click()
    await expect(swatch).toHaveAttribute('aria-pressed', 'true')
    await dialog(page)
      .getByRole('combobox', { name: /^patch\.fillIndex/ })
      .selectOption({ label: '2 · Stroke' })
    await expectAccessible(page, 'color and fill')
    await send(page)
    await expect(dialog(page)).toContainText('Saved and verified.')
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await expect(dialog(page)).toBeHidden()

    const swatches = page.getByRole('main').getByRole('group', { name: 'Palette of the study set' })
    await expect(swatches.getByRole('button', { pressed: true })).toHaveCount(1)
    const steps = new Steps(page)
    await steps.click(swatches.getByRole('button', { pressed: false }).first())
    await expect(dialog(page)).toContainText('"colorIndex"')
    await steps.click(dialog(page).getByRole('button', { name: 'Send', exact: true }))
    await expect(dialog(page)).toContainText('Saved and verified.')
    expect(steps.names).toHaveLength(2)
  })
  await test.step('a verdict takes its revision and reasons from the host; on another study set it is refused, and reloaded rather than resent', async () => {
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await expect(dialog(page)).toBeHidden()
    await compose(page, 'Record a practice verdict')
    await expect(dialog(page)).toContainText(/expectedRevision is \d+/)
    await field(page, 'practice.topic').fill('1D9A7486-0000-4000-9000-000000000000')
    await field(page, 'self').fill('again')
    await send(page)
    await expect(dialog(page).getByRole('alert')).toContainText('PRACTICE_TOPIC_CHANGED')
    await expect(dialog(page).getByRole('button', { name: 'Send', exact: true })).toBeHidden()
    await dialog(page).getByRole('button', { name: 'Reload and start over' }).click()
    await expect(dialog(page)).toContainText(/expectedRevision is \d+, read from the card/)
    await expect(field(page, 'self')).toHaveValue('again')
    await field(page, 'practice.topic').fill(SET)
    await dialog(page)
      .getByRole('combobox', { name: /^reason/ })
      .selectOption({ label: 'careless · Careless slip' })
    await send(page)
    await expect(dialog(page).getByRole('table', { name: 'Before and after' })).toContainText(
      '#practice/error/careless',
    )
  })
})
