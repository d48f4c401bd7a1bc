import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from './fixtures.ts'
import { letWritesThrough, openFolder } from './panel-page.ts'
import { expectAccessible, go, startOwnHost, waitForConnection, openTools, chooseFilter } from './support.ts'
import { CARD, compose, dialog, field, record, SET, titleOf } from './writing.ts'

test('what changed between two snapshots has its call, or nobody that was recorded, as its cause @core', async ({
  app,
}) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await page.getByRole('button', { name: 'Read-only' }).click()
  await page.getByRole('button', { name: 'Unlock until the app exits' }).click()
  await go(page, `#/study-sets/${SET}/changes`)
  await expect(page.getByText('No snapshot of this study set')).toBeVisible()
  const takeButton = page.getByRole('button', { name: 'Take snapshot' })
  // The button is disabled meanwhile.
  await takeButton.press('Enter')
  await expect(page.getByText(/^One snapshot so far/)).toBeVisible()
  await expect(takeButton).toBeFocused()
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('Take snapshot')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/The host lists the same [\d,]+ cards/)).toBeVisible()

  const oldTitle = titleOf(host)
  await compose(page, 'Set the title')
  await field(page, 'text').fill('Renamed by the form')
  await dialog(page).getByRole('button', { name: 'Review' }).click()
  const forecast = dialog(page).getByRole('region', { name: 'Forecast' })
  await expect(forecast).toContainText(`title: “${oldTitle}” → “Renamed by the form”`)
  await expect(forecast).toContainText('the host may do otherwise')
  await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText(/Saved and verified\.|the read-back matches what was sent/)
  await page.keyboard.press('Escape')
  const cards = host.state.library.sets.find(({ topicid }) => topicid === SET)?.cards ?? []
  const byHand = cards.find(({ noteid, title }) => noteid !== CARD && title !== '')
  Reflect.set(byHand ?? {}, 'title', 'Renamed by hand')

  await go(page, `#/study-sets/${SET}/changes`)
  await takeButton.click()
  const tree = page.getByRole('tree', { name: 'Changes' })
  const renamedItem = tree.getByRole('treeitem', { name: 'Renamed by the form' })
  await expect(renamedItem).toContainText('renamed')
  await expect(renamedItem).toContainText(`/notes/${CARD}/title`)
  await expect(tree.getByRole('treeitem', { name: 'Renamed by hand' })).toContainText('nobody that was recorded')
  await expect(tree.getByRole('treeitem', { name: /… [\d,]+ unchanged/ }).first()).toBeVisible()
  await expectAccessible(page, 'changes')

  await renamedItem.click()
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await expect(inspector).toContainText('This recorded call names the card.')
  await expect(inspector.getByRole('table', { name: 'The card before and after' })).toContainText(oldTitle)
  await chooseFilter(page, /^renamed/)
  await expect(page.getByText('2 of 2 changed cards')).toBeVisible()
  await openTools(page)
  await page.getByText('List', { exact: true }).click()
  await expect(page.getByRole('grid', { name: 'Changes' }).getByRole('row')).toHaveCount(3)
  await inspector.getByRole('link', { name: 'Show the exchange' }).click()
  await expect(page).toHaveURL(/#\/traffic\//)

  await go(page, '#/operations')
  await page.getByRole('row', { name: /Set the title/ }).click()
  await expect(record(page).getByRole('region', { name: 'Forecast' })).toContainText(/As forecast, by the snapshot of/)
  await host.close()
})

test('a panel that ran between two snapshots made exactly its writes, and the host’s user nobody’s', async ({
  app,
}) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await page.getByRole('button', { name: 'Read-only' }).click()
  await page.getByRole('button', { name: 'Unlock until the app exits' }).click()
  const { openState, library } = host.state
  const set = library.sets.find(({ topicid }) => topicid === openState.topicid) ?? library.sets[0]
  if (!set) throw new Error('The library has no study set.')
  await go(page, `#/study-sets/${set.topicid}/changes`)
  const takeButton = page.getByRole('button', { name: 'Take snapshot' })
  await takeButton.click()
  await expect(page.getByText(/^One snapshot so far/)).toBeVisible()

  const byUser = new Set([host.editAsUser(), host.editAsUser()].map((edit) => edit?.noteid))
  const parentIds = new Set(set.cards.map(({ parent }) => parent))
  const leaves = set.cards.filter(({ noteid }) => !parentIds.has(noteid) && !byUser.has(noteid))
  const [first, second, colored, moved] = leaves
  const target = set.cards.find(
    ({ noteid }) => parentIds.has(noteid) && !byUser.has(noteid) && noteid !== moved?.parent,
  )
  if (!first || !second || !colored || !moved || !target) throw new Error('The study set has too few cards.')
  const otherColor = colored.colorIndex === 11 ? 12 : 11
  const writes = [
    [`/notes/${first.noteid}/title`, { text: 'First by the panel' }, 'renamed'],
    [`/notes/${second.noteid}/title`, { text: 'Second by the panel' }, 'renamed'],
    ['/notes/metadata', { noteIds: [colored.noteid], patch: { colorIndex: otherColor } }, 'recoloured'],
    ['/notes/move', { noteIds: [moved.noteid], targetParentNoteId: target.noteid }, 'moved'],
  ] as const
  const code = [
    'const send = { method: "POST", headers: { "content-type": "application/json" } }',
    'document.querySelector("button").onclick = async () => {',
    ...writes.map(
      ([route, body]) =>
        `  await fetch("/bridge/v1${route}", { ...send, body: ${JSON.stringify(JSON.stringify(body))} })`,
    ),
    '  document.querySelector("output").textContent = "All was sent"',
    '}',
  ]
  const folder = createPanelFolder({
    'index.html': `<!doctype html><title>Editor</title><button>Edit</button><output></output><script src="main.js"></script>`,
    'main.js': code.join('\n'),
  })
  const panel = await openFolder(app, folder)
  await letWritesThrough(app)
  await panel.getByRole('button', { name: 'Edit' }).click()
  await expect(panel.getByText('All was sent')).toBeVisible()

  await go(page, `#/study-sets/${set.topicid}/changes?view=list`)
  await takeButton.click()
  const grid = page.getByRole('grid', { name: 'Changes' })
  // The head is a row as well.
  await expect(grid.getByRole('row')).toHaveCount(1 + writes.length + byUser.size)
  await expect(grid.getByRole('row').filter({ hasText: 'nobody that was recorded' })).toHaveCount(byUser.size)
  const cause = page.getByRole('complementary', { name: 'Inspector' }).getByRole('region', { name: 'Cause' })
  const source = page.getByRole('dialog', { name: 'Source' })
  for (const [index, [route, body, kind]] of writes.entries()) {
    const noteid = 'noteIds' in body ? body.noteIds[0] : route.split('/')[2]
    const row = grid.getByRole('row').filter({ hasText: noteid ?? '' })
    await expect(row).toContainText(kind)
    await expect(row).toContainText('panel: Editor')
    await row.click()
    await expect(cause).toContainText('This recorded call names the card.')
    await expect(cause).toContainText(route)
    await expect(cause.getByRole('button', { name: `/main.js:${index + 3}`, exact: true })).toBeVisible()
  }
  await cause.getByRole('button', { name: /^\/main\.js:\d+$/ }).click()
  await expect(source.locator('.cm-shown-line')).toContainText(writes.at(-1)?.[0] ?? '')
  await host.close()
  rmSync(folder, { recursive: true, force: true })
})

function createPanelFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'panel-changes-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  return folder
}
