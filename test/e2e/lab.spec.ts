import { expect, test } from './fixtures.ts'
import { connected, expectAccessible, go } from './support.ts'

test('the protocol lab compares what the contract says with what the host does', async ({ page }) => {
  await connected(page)
  await go(page, '#/lab?note=2F434250-51B5-49D9-8607-E9C650C67873')
  for (const name of [
    'Same request id, different target',
    'Stale expectedRevision',
    'Wrong study set',
    'Missing confirm',
  ]) {
    const probe = page.getByRole('region', { name })
    await probe.getByRole('button', { name: 'Run' }).click()
    await expect(probe.getByText('as expected').first()).toBeVisible()
    await expect(probe.getByText('differs')).toHaveCount(0)
  }
  const band = page.getByRole('region', { name: 'Blank band that can’t be created' })
  await band.getByRole('button', { name: 'Show plan' }).click()
  await expect(band.getByText('planned', { exact: true })).toBeVisible()
  await band.getByRole('button', { name: 'Run' }).click()
  await expect(band.getByRole('row', { name: /NO_SELECTION/ })).toBeVisible()
  await band.getByRole('link', { name: 'Record' }).click()
  await expect(page.getByRole('article', { name: 'Operation record' })).toContainText('Refused')
  await page.goBack()
  // Its results are still there.
  await expect(band.getByRole('row', { name: /NO_SELECTION/ })).toBeVisible()
  await expectAccessible(page, 'lab')
})
