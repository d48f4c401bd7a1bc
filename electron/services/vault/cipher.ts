/** What a keyring offers. The desktop adapter wraps the operating system's; the browser host has none. */
export interface Cipher {
  /**
   * `secure`: a keyring that the user's other programs cannot read without asking. `weak`: encryption with a key that any program of the
   * user knows (Linux `basic_text`). `none`: nothing to encrypt with.
   */
  backend(): Promise<{ name: string; grade: 'secure' | 'weak' | 'none' }>
  encrypt(text: string): Promise<Uint8Array>
  /** Throws if the key is lost, locked or different. */
  decrypt(bytes: Uint8Array): Promise<string>
}
