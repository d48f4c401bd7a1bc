import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ElectronApplication } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { waitForConnection, go, openExcerpts, openTree } from './support.ts'

const createFolder = () => mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-native-'))

/**
 * Records the labels of every menu that pops up instead of showing it, because nobody would close
 * it.
 */
const catchMenus = (electron: ElectronApplication): Promise<void> =>
  electron.evaluate(({ Menu }) => {
    const popped: string[][] = []
    Object.assign(globalThis, { popped })
    Menu.prototype.popup = function popup(this: Electron.Menu) {
      popped.push(this.items.filter(({ enabled, type }) => enabled && type !== 'separator').map(({ label }) => label))
    }
  })
const listPoppedMenus = (electron: ElectronApplication): Promise<string[][]> =>
  electron.evaluate(() => (globalThis as unknown as { popped: string[][] }).popped)

test.beforeEach(async ({ page }) => waitForConnection(page))

test('menus are in the app’s language: of the application, of a field, of selected text and of a row, and none elsewhere', async ({
  app,
  page,
}) => {
  await catchMenus(app.electron)
  await go(page, '#/search')
  const field = page.getByRole('search').getByRole('searchbox')
  await field.fill('cell')
  await field.selectText()
  await field.click({ button: 'right' })
  await expect
    .poll(async () => (await listPoppedMenus(app.electron)).at(-1))
    .toEqual(expect.arrayContaining(['Cu&t', '&Copy', 'Select &All']))

  await go(page, '#/settings')
  const heading = page.getByRole('heading', { level: 1, name: 'Settings' })
  await heading.selectText()
  await heading.click({ button: 'right' })
  await expect.poll(async () => (await listPoppedMenus(app.electron)).at(-1)).toEqual(['&Copy'])

  await openTree(page, /系统解剖学/)
  const before = (await listPoppedMenus(app.electron)).length
  await page.getByRole('treeitem').nth(1).click({ button: 'right' })
  await expect(page.getByRole('menuitem', { name: 'Copy path' })).toBeVisible()
  expect(await listPoppedMenus(app.electron)).toHaveLength(before)

  const listLabels = () =>
    app.electron.evaluate(({ Menu }) => Menu.getApplicationMenu()?.items.map(({ label }) => label) ?? [])
  expect(await listLabels()).toEqual(['&File', '&Edit', '&View', '&Window', '&Help'])
  await go(page, '#/settings')
  await page.evaluate(() => Object.assign(globalThis, { before: true }))
  await app.electron.evaluate(({ Menu }) => {
    const view = Menu.getApplicationMenu()?.items.find(({ label }) => label === '&View')
    view?.submenu?.items.find(({ label }) => label === '&Reload Page')?.click()
  })
  await expect.poll(() => page.evaluate(() => 'before' in globalThis).catch(() => true)).toBe(false)
  await expect(page).toHaveURL(/#\/settings/)
  // The system draws the title bar and the menus in the theme of the page.
  for (const [label, theme] of [
    ['Dark', 'dark'],
    ['System', 'system'],
  ] as const) {
    await page.getByRole('radiogroup', { name: 'Theme' }).getByText(label, { exact: true }).click()
    await expect.poll(() => app.electron.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe(theme)
  }
  await page.getByText('简体中文', { exact: true }).click()
  await expect.poll(listLabels).toEqual(['文件(&F)', '编辑(&E)', '视图(&V)', '窗口(&W)', '帮助(&H)'])
})

test('an export asks where to save and writes every byte, a whole map too; a cancelled one leaves no file', async ({
  app,
  page,
}) => {
  const file = path.join(createFolder(), 'excerpts.csv')
  await app.electron.evaluate(({ session }, to) => {
    const names: string[] = []
    Object.assign(globalThis, { names })
    session.fromPartition('page').on('will-download', (_event, item) => {
      // This replaces the system's dialog, in which the user cancels the first time.
      names.push(item.getFilename())
      if (names.length === 1) item.cancel()
      else item.setSavePath((globalThis as { next?: string }).next ?? to)
    })
  }, file)
  await app.electron.evaluate(({ shell }) => {
    shell.showItemInFolder = (path) => void Object.assign(globalThis, { shown: path })
  })
  const listNames = () => app.electron.evaluate(() => (globalThis as unknown as { names: string[] }).names)
  await openExcerpts(page)
  await expect(page.getByRole('grid', { name: 'Excerpts' })).toBeVisible()
  const exportCsv = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'Export CSV' }).click()
  }
  await exportCsv()
  await expect.poll(async () => (await listNames()).length).toBe(1)
  await exportCsv()
  const readText = () => {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return ''
    }
  }
  await expect.poll(readText).toMatch(/^\ufeff?.*Page/)
  expect((await listNames()).at(-1)).toMatch(/\.csv$/)
  await expect(page.getByRole('status').filter({ hasText: 'Saved “excerpts.csv”.' })).toBeVisible()
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect.poll(() => app.electron.evaluate(() => (globalThis as { shown?: string }).shown)).toBe(file)

  // The next download has a file of its own.
  const drawing = path.join(createFolder(), 'map.svg')
  await app.electron.evaluate((_electron, to) => Object.assign(globalThis, { next: to }), drawing)
  await openTree(page, /系统解剖学/)
  await page.getByRole('link', { name: 'Map', exact: true }).click()
  await page.getByRole('button', { name: 'Export the view or the whole map' }).click()
  await page.getByRole('group', { name: 'Whole map' }).getByRole('menuitem', { name: 'Drawing (SVG)' }).click()
  await expect
    .poll(() => (existsSync(drawing) ? readFileSync(drawing, 'utf8') : ''))
    .toMatch(/^<.*内分泌系统.*<\/svg>\s*$/s)
})

test('a file dropped from the desktop on the folders is the file that is sent', async ({ app, page }) => {
  const file = path.join(createFolder(), '讲义 (final).pdf')
  writeFileSync(file, Buffer.alloc(70_000, 37))
  await go(page, '#/library?list=folders&folder=Textbooks')
  const tree = page.getByRole('tree', { name: 'Folders' })
  await expect(tree.getByRole('treeitem').first()).toBeVisible()
  const box = await tree.boundingBox()
  // The system hands over only the path of a file, which Chromium reads.
  await app.electron.evaluate(
    async ({ BrowserWindow }, { x, y, path: dropped }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents
      contents?.debugger.attach()
      const data = { items: [], files: [dropped], dragOperationsMask: 1 }
      for (const type of ['dragEnter', 'dragOver', 'drop']) {
        await contents?.debugger.sendCommand('Input.dispatchDragEvent', { type, x, y, data })
      }
      contents?.debugger.detach()
    },
    { x: (box?.x ?? 0) + 30, y: (box?.y ?? 0) + 60, path: file },
  )
  const sheet = page.getByRole('dialog', { name: 'Upload a document' })
  await expect(sheet.getByLabel('Name there')).toHaveValue('讲义 (final).pdf')
  await expect(page).toHaveURL(/^app:/)
  await sheet.getByRole('button', { name: 'Review' }).click()
  await expect(sheet).toContainText('70,000 bytes')
})

test('the system’s dialog chooses the folder of saved requests; cancelling changes nothing', async ({ app, page }) => {
  const chosen = createFolder()
  writeFileSync(
    path.join(chosen, 'mine.json'),
    JSON.stringify({ name: 'Of the repository', variables: {}, requests: [] }),
  )
  await app.electron.evaluate(({ dialog }, to) => {
    let requestCount = 0
    dialog.showOpenDialog = (() => {
      requestCount += 1
      return Promise.resolve(
        requestCount === 1 ? { canceled: true, filePaths: [] } : { canceled: false, filePaths: [to] },
      )
    }) as unknown as typeof dialog.showOpenDialog
    Object.assign(globalThis, { countRequests: () => requestCount })
  }, chosen)
  const countQuestions = () =>
    app.electron.evaluate(() => (globalThis as unknown as { countRequests(): number }).countRequests())
  await go(page, '#/console')
  await page.getByRole('button', { name: 'Choose a folder' }).click()
  const sheet = page.getByRole('dialog')
  const field = sheet.getByRole('textbox', { name: 'Folder' })
  await sheet.getByRole('button', { name: 'Browse…' }).click()
  await expect.poll(countQuestions).toBe(1)
  await expect(field).toHaveValue('')
  await sheet.getByRole('button', { name: 'Browse…' }).click()
  await expect(field).toHaveValue(chosen)
  await sheet.getByRole('button', { name: 'Use this folder' }).click()
  await expect(sheet).toHaveCount(0)
  await expect(page.getByText('Of the repository')).toBeVisible()
})
