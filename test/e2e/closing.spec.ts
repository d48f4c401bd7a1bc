import { expect, test, type RunningApp } from './fixtures.ts'
import { waitForConnection } from './support.ts'
import { compose, connectToSlowHost, dialog, field, openRecord, record, send } from './writing.ts'

/** Answers the question of the desktop app, and lists what it says would be lost. */
const stubQuestions = (app: RunningApp, response: number): Promise<void> =>
  app.electron.evaluate(({ dialog: dialogs }, chosen) => {
    const questions: string[] = []
    Object.assign(globalThis, { questions })
    dialogs.showMessageBox = ((_window: unknown, { detail }: { detail: string }) => {
      questions.push(detail)
      return Promise.resolve({ response: chosen, checkboxChecked: false })
    }) as unknown as typeof dialogs.showMessageBox
  }, response)

const listQuestions = (app: RunningApp): Promise<string[]> =>
  app.electron.evaluate(() => (globalThis as unknown as { questions: string[] }).questions)

/** Resolves with how many windows are left, after the question was answered. */
const closeWindow = (app: RunningApp): Promise<number> =>
  app.electron.evaluate(async ({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.close()
    await new Promise((resolve) => setImmediate(resolve))
    return BrowserWindow.getAllWindows().length
  })

test.describe('the desktop app @both', () => {
  test.skip(({ mode }) => mode === 'browser', 'a browser asks itself')

  test('asks before it closes with a form typed, each time, and quits without a question afterwards', async ({
    app,
    page,
  }) => {
    await waitForConnection(page)
    await stubQuestions(app, 1)
    await compose(page, 'Append a blank band')
    await field(page, 'role').fill('practice')
    // The page reports it before a call that comes later is answered.
    await page.evaluate(() => window.bridgeInspector?.call({ id: 'later', method: 'app.info', input: {} }))
    expect(await closeWindow(app)).toBe(1)
    await app.electron.evaluate(({ app: program }) => program.quit())
    expect(await listQuestions(app)).toEqual([
      'A form that you have filled in is lost.',
      'A form that you have filled in is lost.',
    ])
    await dialog(page)
      .getByRole('button', { name: 'Close' })
      .or(dialog(page).getByRole('button', { name: 'Cancel' }))
      .first()
      .click()
    await expect(dialog(page)).toBeHidden()
    await page.evaluate(() => window.bridgeInspector?.call({ id: 'last', method: 'app.info', input: {} }))
    const closed = app.electron.waitForEvent('close')
    await app.electron.evaluate(({ BrowserWindow, dialog: dialogs }) => {
      dialogs.showMessageBox = (() => new Promise(() => undefined)) as unknown as typeof dialogs.showMessageBox
      BrowserWindow.getAllWindows()[0]?.close()
    })
    await closed
  })

  test('names a write that is under way', async ({ app }) => {
    const { host, page } = await connectToSlowHost(app, 60_000)
    await stubQuestions(app, 1)
    await compose(page, 'Commit pencil strokes')
    await field(page, 'surfaceId').fill('main')
    await field(page, 'requestId').fill('slow')
    await send(page)
    await openRecord(page)
    await expect(record(page)).toContainText(/next check in \d+ s|checking now/)
    expect(await closeWindow(app)).toBe(1)
    expect(await listQuestions(app)).toEqual([expect.stringMatching(/^Writes under way: 1\.[^\n]*$/)])
    await host.close()
  })
})

test.describe('the browser', () => {
  test.skip(({ mode }) => mode === 'electron', 'the desktop app asks itself')

  test('asks before a tab with a form closes, and not without', async ({ page }) => {
    await waitForConnection(page)
    const questions: string[] = []
    page.on('dialog', (question) => {
      questions.push(question.type())
      void question.dismiss()
    })
    await compose(page, 'Append a blank band')
    await field(page, 'role').fill('practice')
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => questions).toEqual(['beforeunload'])
    await page.keyboard.press('Escape')
    await expect(dialog(page)).toBeHidden()
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
    expect(questions).toHaveLength(1)
  })
})
