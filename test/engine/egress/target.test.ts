import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isIP } from 'node:net';
import {
  addressText,
  parseAddress,
  parseNetwork,
  reachOf,
} from '../../../shared/engine/egress/address.ts';
import {
  parseAbsoluteForm,
  parseAuthority,
  targetText,
} from '../../../shared/engine/egress/target.ts';

const said = (text: string): string => {
  const parsed = parseAuthority(text, null);
  return parsed.ok ? targetText(parsed.target) : 'refused';
};

describe('the authority of a tunnel', () => {
  it.each([
    ['example.com:443', 'example.com:443'],
    ['EXAMPLE.Com:443', 'example.com:443'],
    ['example.com.:443', 'example.com:443'],
    ['xn--bcher-kva.example:443', 'xn--bcher-kva.example:443'],
    ['_dmarc.example.com:1', '_dmarc.example.com:1'],
    ['localhost:65535', 'localhost:65535'],
    ['192.0.2.1:80', '192.0.2.1:80'],
    ['[2001:db8::1]:443', '[2001:db8:0:0:0:0:0:1]:443'],
    ['[::1]:443', '[0:0:0:0:0:0:0:1]:443'],
    ['[::ffff:127.0.0.1]:443', '127.0.0.1:443'],
    ['[::ffff:7f00:1]:443', '127.0.0.1:443'],
    ['[0:0:0:0:0:FFFF:127.0.0.1]:443', '127.0.0.1:443'],
  ])('%s is read as %s', (text, expected) => {
    expect(said(text)).toBe(expected);
  });

  it.each([
    'example.com',
    'example.com:',
    'example.com:0',
    'example.com:00443',
    'example.com:0443',
    'example.com:65536',
    'example.com:+443',
    'example.com: 443',
    'example.com:443 ',
    ' example.com:443',
    'example.com:443:443',
    'example.com:443/',
    'example.com:443?',
    'example.com:443#',
    'example.com:http',
    'exam ple.com:443',
    'exam\tple.com:443',
    'example.com\0:443',
    'example.com\r\n:443',
    'user@example.com:443',
    'user:pass@example.com:443',
    'allowed.example@evil.example:443',
    'example.com%2eevil.example:443',
    'ex%61mple.com:443',
    'example.com\\.evil.example:443',
    'http://example.com:443',
    '//example.com:443',
    '/etc/passwd:443',
    '*.example.com:443',
    'example..com:443',
    '.example.com:443',
    'example.com..:443',
    '.:443',
    ':443',
    '-example.com:443',
    'example-.com:443',
    `${'a'.repeat(64)}.example:443`,
    `${'a.'.repeat(127)}ab:443`,
    // Letters that look like others, or become dots and digits elsewhere
    'bücher.example:443',
    'еxample.com:443',
    'example。com:443',
    '１２７.0.0.1:443',
    '127。0。0。1:443',
    // Every other spelling of 127.0.0.1
    '127.1:443',
    '127.0.1:443',
    '2130706433:443',
    '0x7f000001:443',
    '0x7f.0.0.1:443',
    '0x7F.1:443',
    '017700000001:443',
    '0177.0.0.1:443',
    '127.0.0.01:443',
    '127.0.0.0x1:443',
    '0127.0.0.1:443',
    '127.0.0.1.:443',
    '127.0.0.256:443',
    '1.2.3.4.5:443',
    'example.1:443',
    'example.0x1:443',
    'example.0x:443',
    '::1:443',
    '::1',
    '[::1]443',
    '[::1:443',
    '::1]:443',
    '[::1]]:443',
    '[[::1]]:443',
    '[::1%25eth0]:443',
    '[fe80::1%eth0]:443',
    '[127.0.0.1]:443',
    '[example.com]:443',
    '[]:443',
    '[:::1]:443',
    '[1::2::3]:443',
    '[1:2:3:4:5:6:7]:443',
    '[1:2:3:4:5:6:7:8:9]:443',
    '[::12345]:443',
    '[::ffff:0x7f.0.0.1]:443',
    '[::ffff:127.1]:443',
    '[::ffff:127.0.0.01]:443',
    '[v1.fe80::a]:443',
    '[2001:db8::1]extra:443',
  ])('%j is refused', (text) => {
    expect(said(text)).toBe('refused');
  });

  it('is read as the same thing once it has been written', () => {
    const host = fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((text) => `[${text}]`),
    );
    fc.assert(
      fc.property(host, fc.integer({ min: 1, max: 65_535 }), (name, port) => {
        const parsed = parseAuthority(`${name}:${String(port)}`, null);
        if (!parsed.ok) return;
        const again = parseAuthority(targetText(parsed.target), null);
        expect(again).toEqual(parsed);
      }),
    );
  });

  it('never throws, and what it takes is plain ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const parsed = parseAuthority(text, 443);
        if (parsed.ok) expect(targetText(parsed.target)).toMatch(/^[\x21-\x7e]+$/u);
      }),
    );
  });
});

describe('the address of a plain request', () => {
  const read = (text: string): string => {
    const parsed = parseAbsoluteForm(text);
    return parsed.ok ? `${targetText(parsed.target)} ${parsed.path}` : 'refused';
  };
  it.each([
    ['http://example.com/a?b=c', 'example.com:80 /a?b=c'],
    ['HTTP://EXAMPLE.com', 'example.com:80 /'],
    ['http://example.com?x=http://other.example/', 'example.com:80 /?x=http://other.example/'],
    ['http://example.com:8080/%2e%2e/x', 'example.com:8080 /%2e%2e/x'],
    ['http://[::1]:3000/', '[0:0:0:0:0:0:0:1]:3000 /'],
    ['http://example.com//other.example/', 'example.com:80 //other.example/'],
  ])('%s is read as %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });
  it.each([
    '/',
    '*',
    'example.com/',
    'https://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'ws://example.com/',
    'http:example.com/',
    'http:/example.com/',
    'http:///example.com/',
    'http://',
    'http://user@example.com/',
    'http://example.com:80@evil.example/',
    'http://allowed.example\\@evil.example/',
    'http://example.com\\evil.example/',
    'http://example.com#@evil.example/',
    'http://example.com/#fragment',
    'http://example.com/a b',
    'http://example.com/a\tb',
    'http://example.com/é',
    'http://example.com:/',
    'http://2130706433/',
    'http://0x7f.1/',
    ' http://example.com/',
    'http ://example.com/',
  ])('%j is refused', (text) => {
    expect(read(text)).toBe('refused');
  });
});

describe('an address', () => {
  it('is one exactly where the system takes it for one', () => {
    const odd = fc.stringMatching(/^[0-9a-f:.]{0,24}$/u);
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), odd), (text) => {
        expect(parseAddress(text) !== null).toBe(isIP(text) !== 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['8.8.8.8', 'public'],
    ['1.1.1.1', 'public'],
    ['2606:4700::1111', 'public'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.1', 'public'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.128.0.1', 'public'],
    ['fd12:3456::1', 'private'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::127.0.0.1', 'loopback'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['64:ff9b::a00:1', 'private'],
    ['64:ff9b::808:808', 'public'],
    ['64:ff9b:1::1', 'private'],
    ['2002:7f00:1::', 'loopback'],
    ['2002:a9fe:a9fe::1', 'metadata'],
    ['2002:808:808::1', 'public'],
    ['169.254.1.1', 'link-local'],
    ['fe80::1', 'link-local'],
    ['169.254.169.254', 'metadata'],
    ['::ffff:169.254.169.254', 'metadata'],
    ['169.254.170.2', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['0.0.0.0', 'reserved'],
    ['0.1.2.3', 'reserved'],
    ['::', 'reserved'],
    ['224.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['240.0.0.1', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['203.0.113.9', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['2001::1', 'reserved'],
    ['ff02::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['fec0::1', 'private'],
  ])('%s is %s', (text, reach) => {
    const address = parseAddress(text);
    expect(address === null ? null : reachOf(address)).toBe(reach);
  });

  it('has one text, from which it is read again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseAddress(text);
        expect(address === null ? null : parseAddress(addressText(address))).toEqual(address);
      }),
    );
  });

  it.each([
    '10.0.0.1/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0/8',
    'fd00::1/8',
    '1.2.3.4/-1',
  ])('of no network: %s', (text) => {
    expect(parseNetwork(text)).toBeNull();
  });
});
