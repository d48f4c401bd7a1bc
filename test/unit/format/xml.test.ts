import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeXml } from '../../../shared/format/markup.ts'

/** The characters of an XML 1.0 document (https://www.w3.org/TR/xml/#charsets). */
const XML_TEXT = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u

describe('a text in XML', () => {
  it('keeps what XML can hold and leaves out the rest', () => {
    expect(escapeXml('a<b>&"c"\t中\u{1F600}')).toBe('a&lt;b&gt;&amp;&quot;c&quot;\t中\u{1F600}')
    expect(escapeXml('a\u0000\u001b\uFFFE\uFFFF\uD800b')).toBe('a\uFFFDb')
  })

  it('has only characters that an XML document may have', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (codes) => {
        expect(escapeXml(String.fromCharCode(...codes))).toMatch(XML_TEXT)
      }),
    )
  })
})
