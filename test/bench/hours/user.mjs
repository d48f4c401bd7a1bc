/** A card of the demo library and its study set. */
const CARD = '2F434250-51B5-49D9-8607-E9C650C67873'
const SET = 'A07BE032-389C-4A95-8331-F2BF4FCFD2E7'
/** The commit that stays pending for as long as the host runs. */
const PENDING = 'the-whole-time'

/**
 * Opens the large tree, follows the host, unlocks writing and sends a commit that never ends.
 * `write` sends another that does, and a title; `keepWatching` resumes watching the first where the
 * program has given it up.
 */
export async function startUser(page, host, nodes) {
  const dialog = page.getByRole('dialog')
  const main = page.getByRole('main')
  let unsent = 0
  const go = (hash) => page.evaluate((to) => void (location.hash = to), hash)

  async function openTree() {
    await go(`#/study-sets/${host.topicid}/tree`)
    await page
      .getByText(`${nodes.toLocaleString('en-US')} cards`)
      .first()
      .waitFor({ timeout: 120_000 })
    await page.getByRole('treeitem').first().waitFor()
  }

  async function send(title, fields, pendingResponse) {
    await go(`#/notes/${CARD}?topicid=${SET}`)
    await main.getByRole('button', { name: 'Write…' }).click()
    await page.getByRole('menuitem', { name: title, exact: true }).click()
    for (const [name, value] of Object.entries(fields)) {
      const nameFilter = { name: new RegExp(`^${name}`) }
      const offering = dialog.getByRole('combobox', nameFilter).and(page.locator('input'))
      await dialog.getByRole('textbox', nameFilter).or(offering).fill(value)
    }
    await dialog.getByRole('button', { name: 'Review' }).click()
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    const link = dialog.getByRole('link', { name: 'Open the record' })
    await link.waitFor()
    return pendingResponse(link)
  }
  const closed = () => dialog.getByRole('button', { name: 'Close' }).click()

  /**
   * A write that a person would have to look at is passed over: on a busy machine, a fast clock
   * runs out of patience.
   */
  async function attempt(title, fields) {
    try {
      await send(title, fields, closed)
    } catch (error) {
      unsent += 1
      const text = (await dialog.allInnerTexts()).join(' ').replace(/\s+/g, ' ')
      console.error(`${title}: ${error.message.split('\n')[0]} ${text}`)
      for (let n = 0; n < 3 && (await dialog.count()) > 0; n += 1) {
        await page.keyboard.press('Escape')
        await page.waitForTimeout(500)
      }
    }
  }

  await page.getByRole('link', { name: 'Calculus II' }).waitFor()
  await page.getByRole('button', { name: 'Follow the host' }).click()
  await page.getByRole('button', { name: 'Read-only' }).click()
  await page.getByRole('button', { name: 'Unlock until the app exits' }).click()
  const record = await send('Commit pencil strokes', { surfaceId: 'main', requestId: PENDING }, async (link) => {
    await link.click()
    await page.getByRole('article', { name: 'Operation record' }).waitFor()
    return new URL(page.url()).hash
  })
  await openTree()

  return {
    /** Writes that were passed over so far. */
    unsent: () => unsent,
    async write(requestId) {
      await attempt('Commit pencil strokes', { surfaceId: 'another', requestId })
      await attempt('Set the title', { text: `Title ${requestId}` })
      await openTree()
      await host.settleBut(PENDING)
    },
    async keepWatching() {
      await go(record)
      const resume = main.getByRole('button', { name: 'Resume watching' })
      await resume.or(main.getByRole('button', { name: 'Stop watching' })).waitFor()
      if (await resume.isVisible()) await resume.click()
      await openTree()
    },
  }
}
