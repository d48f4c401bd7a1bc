import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go } from './support.ts'

test('the protocol lab compares the contract with the behaviour of the host', async ({ page }) => {
  await waitForConnection(page)
  await go(page, '#/lab?note=2F434250-51B5-49D9-8607-E9C650C67873')
  const stale = page.getByRole('region', { name: 'Stale expectedRevision' })
  await stale.getByRole('button', { name: 'Run' }).click()
  // The lab invents no values: it asks the user for ids that the host does not report.
  await expect(stale).toContainText('No comment with an id was read on this card')
  await page.getByRole('textbox', { name: 'Comment (commentId)' }).fill('comment-1')
  for (const name of [
    'Same request id, different target',
    'Stale expectedRevision',
    'Wrong study set',
    'Missing confirm',
  ]) {
    const probe = page.getByRole('region', { name })
    await probe.getByRole('button', { name: 'Run' }).click()
    await expect(probe.locator('header')).toContainText('as expected')
    await expect(probe.getByText(/^(differs|inconclusive|failed|skipped)$/)).toHaveCount(0)
  }
  const band = page.getByRole('region', { name: 'Blank band that can’t be created' })
  await band.getByRole('button', { name: 'Show plan' }).click()
  await expect(band.getByText('planned', { exact: true })).toBeVisible()
  await band.getByRole('button', { name: 'Run' }).click()
  // Results as expected are folded.
  await expect(band.locator('header')).toContainText('as expected')
  await band.getByRole('button', { name: 'Steps' }).click()
  await expect(band.getByRole('row', { name: /NO_SELECTION/ })).toBeVisible()
  await band.getByRole('link', { name: 'Record' }).click()
  await expect(page.getByRole('article', { name: 'Operation record' })).toContainText('Refused')
  await page.goBack()
  // Its results are still there.
  await band.getByRole('button', { name: 'Steps' }).click()
  await expect(band.getByRole('row', { name: /NO_SELECTION/ })).toBeVisible()
  await expectAccessible(page, 'lab')
})
