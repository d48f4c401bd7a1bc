import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { getPanel } from './panel-page.ts'
import { go, waitForConnection, expectAccessible } from './support.ts'
import { compose, dialog, field, getVerifiedText, send } from './writing.ts'

const productSentence = /^Bridge Inspector shows what a note-taking host holds/
const callsOf = (page: Page) => page.getByRole('grid', { name: 'Calls' })
const callOf = (page: Page) => page.getByRole('region', { name: 'Call', exact: true })

/** Counts the clicks of a newcomer, who uses nothing but the mouse. */
function countClicks(page: Page) {
  let count = 0
  return {
    get count() {
      return count
    },
    async click(role: 'button' | 'row', name: string | RegExp) {
      count += 1
      await page.getByRole(role, { name }).click()
    },
  }
}

async function expectExplanation(page: Page): Promise<void> {
  const findings = callOf(page).getByRole('list', { name: 'Findings' })
  await expect(findings).toContainText('Parameter out of range')
  await expect(findings).toContainText('index was 0; the allowed range is 1 and above.')
  await expect(findings).toContainText('the first page is 1')
}

test.describe('from the address, without a flag', () => {
  test.use({ flags: [] })

  test('one click leads to a panel with its calls, and two more to why one failed @core', async ({ app, page }) => {
    const newcomer = countClicks(page)
    await expect(page.getByText(productSentence)).toBeVisible()
    await newcomer.click('button', 'Run the sample panel')
    const panel = await getPanel(app)
    await expect(panel.getByRole('heading', { name: 'Practice' })).toBeVisible()
    await expect(callsOf(page).getByRole('row', { name: /\/library\/study-sets/ })).toBeVisible()
    expect(newcomer.count).toBe(1)

    await newcomer.click('row', /4\d\d .*\/pages\/0\/parts/)
    await expectExplanation(page)
    expect(newcomer.count).toBeLessThanOrEqual(3)
    await expectAccessible(page, 'a failed call')
  })
})

test.describe('at the first start', () => {
  test.use({ isDemoUnlocked: false })

  test('the demo is read-only, and is unlocked where a write is composed, which keeps what was typed @core', async ({
    app,
    page,
  }) => {
    await waitForConnection(page)
    await expect(page.getByRole('button', { name: 'Read-only' })).toBeVisible()
    await compose(page, 'Set the title')
    await field(page, 'text').fill('Typed before the unlock')
    await expect(dialog(page)).toContainText('This host is read-only: no writes are sent.')
    await expect(dialog(page).getByRole('button', { name: 'Review' })).toBeDisabled()
    await dialog(page).getByRole('button', { name: 'Unlock this host for good' }).click()
    await expect(field(page, 'text')).toHaveValue('Typed before the unlock')
    await send(page)
    await expect(dialog(page)).toContainText(getVerifiedText())

    const restarted = await app.restart()
    await waitForConnection(restarted)
    await expect(restarted.getByRole('button', { name: 'Writing unlocked' })).toBeVisible()
  })

  test('all probes of the lab wait for the unlock, and run after it', async ({ page }) => {
    await waitForConnection(page)
    await go(page, '#/lab')
    await page.getByRole('button', { name: 'Run all' }).click()
    const status = page.getByRole('main').getByRole('status').first()
    await expect(status).toHaveText('')
    await page.getByRole('main').getByRole('button', { name: 'Unlock until the app exits' }).click()
    await expect(status).toHaveText(/\d as expected/)
    await expect(page.getByRole('button', { name: 'Run all' })).toBeEnabled({ timeout: 60_000 })
  })
})

test('the demo opens on three choices, of which one leads straight to why a call failed @core', async ({ page }) => {
  await waitForConnection(page)
  const welcome = page.getByRole('region', { name: 'Welcome' })
  await expect(welcome.getByText(productSentence)).toBeVisible()
  for (const name of ['See a library', 'Run the sample panel', 'Debug a failing call']) {
    await expect(welcome.getByRole('button', { name })).toBeVisible()
  }
  await expectAccessible(page, 'welcome')
  await welcome.getByRole('button', { name: 'Debug a failing call' }).click()
  await expectExplanation(page)
})

test('each choice leads somewhere and stays until it is closed, and a command brings them back', async ({ page }) => {
  await waitForConnection(page)
  await expect(page.getByRole('link', { name: 'Calculus II' })).toBeVisible()
  await page.getByRole('button', { name: 'See a library' }).click()
  await expect(page.getByRole('heading', { name: /^Generated mind map/ })).toBeVisible()
  await expect(page.getByRole('treeitem').first()).toBeVisible()
  await page.goBack()
  const welcome = page.getByRole('region', { name: 'Welcome' })
  await expect(welcome.getByRole('button', { name: /^See a library used/ }).getByLabel('used')).toBeVisible()
  await expect(welcome.getByRole('button', { name: 'Debug a failing call' })).toBeVisible()
  await welcome.getByRole('button', { name: 'Close' }).click()
  await expect(welcome).toBeHidden()
  await expect(page.getByRole('link', { name: 'Calculus II' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('first choices')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Welcome' })).toBeVisible()
})
