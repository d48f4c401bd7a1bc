import path from 'node:path'
import { root } from '../../scripts/lib/paths.mjs'
import { findingRuleIds } from '../../shared/protocol/finding.ts'
import { isAdvice } from '../../shared/protocol/rule-table.ts'
import { expect, test } from './fixtures.ts'
import { letWritesThrough, openFolder, openSample } from './panel-page.ts'
import { go, waitForConnection } from './support.ts'

test('safety 67: panels that keep to the contract in four ways cause no finding, not even when they are stopped @either', async ({
  app,
  page,
}) => {
  test.slow()
  await waitForConnection(page)
  const panel = await openFolder(app, path.join(root, 'test/fixtures/lawful-panel'))
  await letWritesThrough(app)
  await panel.getByRole('button', { name: 'Begin' }).click()
  await expect(panel.getByRole('status')).toHaveText('done', { timeout: 60_000 })
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await go(page, '#/findings')
  await expect(page.getByText('No findings', { exact: true })).toBeVisible()
})

test('safety 82: a panel that breaks every rule and is stopped is judged to its end, and advice stands apart @either', async ({
  app,
  page,
}) => {
  test.slow()
  await waitForConnection(page)
  const panel = await openSample(app, 'Rule breaker')
  await letWritesThrough(app)
  await panel.getByRole('button', { name: 'Break them all' }).click()
  await expect(panel.getByRole('status', { name: 'Progress' })).toHaveText(/ rules were broken\.$/, {
    timeout: 90_000,
  })
  // The host has to be restarted to break it.
  await expect(panel.locator('#rules button:not([data-end="broken"])')).toHaveText([/ids-of-old-run/])
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await go(page, '#/findings')
  const rows = page
    .getByRole('grid', { name: 'Findings' })
    .getByRole('row')
    .filter({ hasNot: page.getByRole('columnheader') })
  const classes = page.getByRole('radiogroup', { name: 'What is listed' })
  // The host has to be restarted to break it, and further pages are nothing that is owed.
  const brokenRules = findingRuleIds.filter((rule) => rule !== 'ids-of-old-run' && rule !== 'paging-stopped')
  const contractRules = brokenRules.filter((rule) => !isAdvice(rule))
  await expect(classes.getByText(`Findings ${contractRules.length}`, { exact: true })).toBeVisible()
  await expect(rows).toHaveCount(contractRules.length)
  for (const title of ['Commit never followed', 'Reservation assumed done'])
    await expect(rows.filter({ hasText: title })).toHaveCount(1)
  await expect(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: `Findings, ${contractRules.length}` }),
  ).toBeVisible()
  await rows.filter({ hasText: 'Commit never followed' }).click()
  await expect(page.getByRole('region', { name: 'Finding', exact: true })).toContainText('when the caller had ended')
  await classes.getByText(`Advice ${brokenRules.length - contractRules.length}`, { exact: true }).click()
  for (const title of [
    'The same read in a burst',
    'Polling too fast',
    'Cards read one by one',
    'Write after an incomplete listing',
  ])
    await expect(rows.filter({ hasText: title })).toHaveCount(1)
})

test('safety 82: a panel whose page is gone is judged, though it may be opened again', async ({ app, page }) => {
  await waitForConnection(page)
  const panel = await openSample(app, 'Rule breaker')
  await letWritesThrough(app)
  await panel.getByRole('button', { name: 'Commit and never ask again' }).click()
  await expect(panel.getByRole('status', { name: 'Progress' })).toHaveText(/done\.$/)
  // The panel lives on beside another place, but not when the window begins anew there.
  await go(page, '#/findings')
  await expect(page.getByText('No findings', { exact: true })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('grid', { name: 'Findings' })).toContainText('Commit never followed')
})
