import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go, openTree } from './support.ts'

test.use({ dialect: 'loose' })

test('a card listing under another path is found, is shown among the routes, and can be set by hand', async ({
  page,
}) => {
  await waitForConnection(page)
  await openTree(page, /系统解剖学/)
  await go(page, '#/host?view=routes')
  const strip = page.getByRole('region', { name: 'Paths of routes' })
  await expect(strip).toContainText('/study-sets/{id}/cards')
  await expectAccessible(page, 'routes with a path that was found')

  const setListingPath = async (path: string): Promise<void> => {
    await go(page, '#/connect')
    await page.getByRole('button', { name: /^Edit / }).click()
    await page.getByText('Paths of routes').click()
    await page.getByLabel('Path of Card listing').fill(path)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
  }
  await setListingPath('/study-sets/{id}/{index}')
  await expect(page.getByRole('alert')).toContainText('ROUTE_PATH_INVALID')
  await page.getByLabel('Path of Card listing').fill('/study-sets/{id}/elsewhere')
  await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page).toHaveURL(/#\/library/)
  await waitForConnection(page)
  // This study set was not read before the path was set.
  await page.getByRole('link', { name: /Generated mind map/ }).click()
  await expect(page.getByRole('alert').first()).toContainText('ROUTE_NOT_FOUND')
})
