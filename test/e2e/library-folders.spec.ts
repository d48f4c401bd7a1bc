import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go } from './support.ts'

test.use({ flags: ['--demo'] })

test('folders are a tree beside their documents, work by keyboard, and take files as they will be sent; a missing one is a failure', async ({
  page,
}) => {
  await waitForConnection(page)
  await go(page, '#/library')
  await page.getByText('Folders', { exact: true }).click()
  const tree = page.getByRole('tree', { name: 'Folders' })
  await expect(tree.getByRole('treeitem', { name: 'All documents' })).toHaveAttribute('aria-expanded', 'true')
  await tree.getByRole('treeitem', { name: 'Textbooks' }).click()
  await expect(page).toHaveURL(/folder=Textbooks/)
  await page.keyboard.press('ArrowRight')
  await expect(tree.getByRole('treeitem', { name: 'Textbooks' })).toHaveAttribute('aria-expanded', 'true')
  await expect(tree.getByRole('treeitem', { name: 'not read yet' })).toHaveCount(0)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/folder=Textbooks(\/|%2F)/)
  const grid = page.getByRole('grid', { name: 'Documents of the folder' })
  await expect(grid.getByRole('link').first()).toBeVisible()
  await page.reload()
  await expect(grid.getByRole('link').first()).toBeVisible()
  await grid.getByRole('link').first().click()
  await expect(page).toHaveURL(/#\/documents\/.+\/pages/)

  await go(page, '#/library?list=folders&folder=No%20such')
  await expect(page.getByRole('alert')).toContainText('FOLDER_NOT_FOUND')

  await go(page, '#/library?list=folders&folder=Textbooks')
  await page.getByRole('button', { name: 'Upload a document…' }).click()
  const sheet = page.getByRole('dialog', { name: 'Upload a document' })
  await expect(sheet.getByRole('button', { name: 'Review' })).toBeDisabled()
  await sheet
    .getByLabel('File to upload')
    .setInputFiles({ name: '..odd\\name.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(1_500_000, 37) })
  await expect(sheet.getByLabel('Folder')).toHaveValue('Textbooks')
  await sheet.getByLabel('Name there').fill('Lecture notes.pdf')
  await expectAccessible(page, 'upload')
  await sheet.getByRole('button', { name: 'Review' }).click()
  await expect(sheet).toContainText('upload?filename=Lecture%20notes.pdf&folder=Textbooks&confirm=1')
  await expect(sheet).toContainText('1,500,000 bytes')
  await sheet.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(sheet).toContainText(/host (says|reports) that it was done/)
  await sheet.getByRole('button', { name: 'Close' }).click()
  await expect(grid.getByRole('link', { name: 'Lecture notes.pdf' })).toBeVisible()

  const dropped = await page.evaluateHandle(() => {
    const data = new DataTransfer()
    data.items.add(new File(['dropped'], 'Dropped.pdf'))
    return data
  })
  await page.getByRole('tree', { name: 'Folders' }).dispatchEvent('drop', { dataTransfer: dropped })
  await expect(sheet.getByLabel('Name there')).toHaveValue('Dropped.pdf')
})
