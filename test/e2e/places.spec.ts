import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go, openMore, openTree, readSavedSettings } from './support.ts'

test('the demo opens on the library; host, palette and an unknown address show what they have, and a dialog keeps the focus', async ({
  page,
}) => {
  await waitForConnection(page)
  await test.step('the library has its study sets and decks', async () => {
    await expect(page.getByRole('status', { name: 'Connection' })).toContainText('4.9.1')
    await expect(page).toHaveURL(/#\/library$/)
    const grid = page.getByRole('grid', { name: 'Study sets' })
    await expect(grid).toHaveAttribute('aria-rowcount', '9')
    await expect(grid.getByRole('link', { name: '民法总论' })).toBeVisible()

    await page.getByRole('searchbox', { name: 'Filter by title or id' }).fill('calc')
    await expect(grid).toHaveAttribute('aria-rowcount', '2')
    await page.getByRole('searchbox').fill('no such thing')
    await expect(page.getByText('Nothing matches the filter')).toBeVisible()
    await page.getByRole('searchbox').fill('')

    await grid.getByRole('columnheader', { name: 'Cards' }).click()
    await expect(grid.getByRole('columnheader', { name: 'Cards' })).toHaveAttribute('aria-sort', /ascending|descending/)

    await page.getByText('Decks', { exact: true }).click()
    await expect(page.getByRole('grid', { name: 'Decks' })).toHaveAttribute('aria-rowcount', '4')
  })
  await test.step('the host place shows status, routes, guide and context', async () => {
    await go(page, '#/host')
    await expect(page.getByText('Demo Notes 4.9.1')).toBeVisible()

    await page.getByText('Routes', { exact: true }).first().click()
    const routes = page.getByRole('grid', { name: 'Routes' })
    await expect(routes).toBeVisible()
    await page.getByRole('searchbox', { name: 'Filter routes' }).fill('note-palette')
    await expect(routes).toHaveAttribute('aria-rowcount', '2')

    await page.getByText('Guide', { exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Demo Notes bridge guide' })).toBeVisible()
    await page.getByRole('navigation', { name: 'Outline of the guide' }).getByRole('button', { name: 'Errors' }).click()
    await expect(page.getByRole('heading', { name: 'Errors' })).toBeInViewport()

    await page.getByText('Context', { exact: true }).click()
    await expect(page.getByRole('row', { name: /Study set/ })).toBeVisible()
  })
  await test.step('the palette shows every level with both colors, and never names a color', async () => {
    await openTree(page, 'Calculus II')
    await openMore(page, 'Palette')
    await expect(page.getByRole('row')).toHaveCount(17)
    await expect(page.getByRole('img', { name: /^Level 0: #[0-9A-F]{6}$/ })).toHaveCount(2)
    await expect(page.getByText('Source', { exact: true })).toBeVisible()
    await expect(page.getByText('default', { exact: true })).toBeVisible()
  })
  await test.step('an unknown address is reported', async () => {
    await go(page, '#/no/such/place')
    await expect(page.getByText('Page not found')).toBeVisible()
  })
  await test.step('a dialog keeps the focus inside, closes on Escape, and restores the focus', async () => {
    await go(page, '#/connect')
    const opener = page.getByRole('button', { name: 'Add a host' })
    await opener.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Add a host' })
    await expect(dialog.getByRole('textbox', { name: 'Address' })).toBeFocused()
    for (const key of ['Shift+Tab', ...Array.from({ length: 12 }, () => 'Tab')]) {
      await page.keyboard.press(key)
      expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    }
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(opener).toBeFocused()
  })
})

test('language and theme change at once and are remembered @both', async ({ app, page }) => {
  await go(page, '#/settings')
  await page.getByText('简体中文', { exact: true }).click()
  await expect(page.getByRole('navigation', { name: /./ }).first()).toContainText('资料库')
  await page.getByText('深色', { exact: true }).click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN')
  await expect.poll(() => readSavedSettings(app.dataDir)).toContain('"dark"')
  const restarted = await app.restart()
  await expect(restarted.locator('html')).toHaveAttribute('data-theme', 'dark')
  // The HTML already contains the theme and the language, so no script has to run before the first
  // paint.
  const html = await restarted.evaluate(async () => (await fetch('/')).text())
  expect(html).toMatch(/<html[^>]* data-theme="dark"/)
  await expect(restarted.getByText('资料库').first()).toBeVisible()
})

test('the app opens the last place', async ({ app, page }) => {
  await waitForConnection(page)
  await openTree(page, 'Calculus II')
  const place = new URL(page.url()).hash
  await expect.poll(() => readSavedSettings(app.dataDir)).toContain(place.replace(/^#/, ''))
  const restarted = await app.restart()
  await expect.poll(() => new URL(restarted.url()).hash).toBe(place)
})

test('About shows the licence of everything that is built in @either', async ({ app, page }) => {
  await go(page, '#/settings')
  await page.getByText('Third-party licenses').click()
  const list = page.getByRole('list', { name: 'Third-party licenses' })
  await expect(list.getByRole('listitem').first()).toBeVisible()
  await list.getByText(/^vue \d/).click()
  await expect(list.getByRole('listitem').filter({ hasText: /^\s*vue \d/ })).toContainText(
    'Permission is hereby granted',
  )
  // The desktop app also contains what its main process needs; with the browser host that comes
  // from the installed packages.
  await expect(list.getByText(/^pngjs \d/)).toHaveCount(app.mode === 'electron' ? 1 : 0)
  await expectAccessible(page, 'licenses')
})

test('safety 54: a place that fails to render says so, shows the response, can be retried, and is logged', async ({
  app,
  page,
}) => {
  await waitForConnection(page)
  await expect(page.getByRole('grid', { name: 'Study sets' })).toBeVisible()
  const href = (await page.getByRole('link', { name: 'Organic Chemistry' }).getAttribute('href')) ?? ''
  const topicid = /study-sets\/([^/]+)/.exec(href)?.[1] ?? ''
  await go(page, '#/settings')
  // The place must be left first, because only then is it rendered again.
  await expect(page.getByRole('grid', { name: 'Study sets' })).toBeHidden()
  // This simulates a defect in this place only, in the address of one row.
  await page.evaluate((id) => {
    const encode = globalThis.encodeURIComponent
    Object.assign(globalThis, {
      encodeURIComponent: (text: string) => {
        if (text === id) throw new Error('a planted fault')
        return encode(text)
      },
      mend: () => Object.assign(globalThis, { encodeURIComponent: encode }),
    })
  }, topicid)
  await go(page, '#/library')
  const alert = page.getByRole('main').getByRole('alert')
  await expect(alert).toContainText('This page could not be displayed')
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await page.getByRole('button', { name: 'GET /library/study-sets' }).click()
  await expect(page.getByRole('main').getByText('Organic Chemistry')).toBeVisible()
  await expectAccessible(page, 'a place that cannot be drawn')
  await expect.poll(() => app.readLog()).toContain('a planted fault')
  await page.evaluate(() => (globalThis as unknown as { mend(): void }).mend())
  await alert.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('grid', { name: 'Study sets' })).toBeVisible()
  await expect(alert).toBeHidden()
})

test('safety 16: widgets and the JSON view are styled without inline styles, which the policy refuses @both', async ({
  page,
}) => {
  const refused: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text())
  })
  // The desktop's first load may still be under way, and would abort the other.
  await waitForConnection(page)
  await page.reload()
  await waitForConnection(page)
  await go(page, '#/host')
  await expect(page.locator('.cm-scroller').first()).toHaveCSS('display', 'flex')
  await go(page, '#/connect')
  const main = page.getByRole('button', { name: 'Add a host' })
  await expect(main).toHaveCSS('height', '26px')
  expect(refused).toEqual([])
})
