import { generate } from 'selfsigned'

export interface TestCertificate {
  readonly key: string
  readonly cert: string
}

const DAY = 86_400_000

/**
 * A freshly made self-signed certificate for 127.0.0.1; each call yields another key and so another
 * fingerprint.
 */
export async function createCertificate(options: { expired?: boolean } = {}): Promise<TestCertificate> {
  const now = Date.now()
  const pair = await generate([{ name: 'commonName', value: 'Test host' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 10 * DAY),
    notAfterDate: new Date(options.expired ? now - DAY : now + 10 * DAY),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 7, ip: '127.0.0.1' },
          { type: 2, value: 'localhost' },
        ],
      },
    ],
  })
  return { key: pair.private, cert: pair.cert }
}
