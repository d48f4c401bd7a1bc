import type { Locator, Page } from '@playwright/test'

/**
 * Counts the steps of a user in one job: every click, and every key that is not part of a text.
 * Pasting or typing a text counts once.
 */
export class Steps {
  readonly #page: Page
  #received: string[] = []

  constructor(page: Page) {
    this.#page = page
  }

  /** The steps so far, for counting and for the message of a failing expectation. */
  get names(): readonly string[] {
    return this.#received
  }

  async click(target: Locator): Promise<void> {
    this.#received.push(`click ${String(target)}`)
    await target.click()
  }

  async press(key: string): Promise<void> {
    this.#received.push(key)
    await this.#page.keyboard.press(key)
  }

  /** Types a text into the focused element. */
  async type(text: string): Promise<void> {
    this.#received.push(`type ${text}`)
    await this.#page.keyboard.insertText(text)
  }
}
