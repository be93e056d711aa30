import { useState } from 'react';
import { mayBeNamed } from '../../../shared/engine/index.ts';
import { Field } from '../primitives/Field.tsx';

/** What a new passkey or device is called and whose it is, as typed, and whether that can be had. */
export function useNames(known: readonly { readonly name: string }[]) {
  const [name, setName] = useState('');
  const [person, setPerson] = useState('');
  const given = name.trim();
  const whose = person.trim();
  const isTaken = known.some((one) => one.name === given);
  const isWrong = whose !== '' && !mayBeNamed(whose);
  const isGood = given !== '' && !isTaken && !isWrong;
  return { name, setName, person, setPerson, given, whose, isTaken, isWrong, isGood };
}

interface NameFieldsProps {
  readonly names: ReturnType<typeof useNames>;
  readonly words: Readonly<
    Record<'name' | 'nameHelp' | 'nameTaken' | 'person' | 'personHelp' | 'personTaken', string>
  >;
}

export function NameFields({ names, words }: NameFieldsProps) {
  return (
    <>
      <Field
        label={words.name}
        help={words.nameHelp}
        problem={names.isTaken ? words.nameTaken : undefined}
        value={names.name}
        onChange={(value) => names.setName(value.slice(0, 60))}
      />
      <Field
        label={words.person}
        help={words.personHelp}
        problem={names.isWrong ? words.personTaken : undefined}
        value={names.person}
        onChange={(value) => names.setPerson(value.slice(0, 60))}
      />
    </>
  );
}
