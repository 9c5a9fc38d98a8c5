//! Message logs: verbatim, in order, and whole under concurrent appends.

use std::thread;

use namzu_native::store::SessionStore;
use serde_json::{Value, json};

use crate::support::{
    UNKNOWN_SESSION, alpha,
    errors::expect_not_found,
    is_date, is_generated,
    payload::{message, said},
    wait,
    world::World,
};

/// Texts that a careless store would change: each is what `JSON.stringify` writes.
const AWKWARD: &[&str] = &[
    "{}",
    r#"{"role":"assistant","content":null,"toolCalls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}"#,
    r#"{"role":"tool","content":"","toolCallId":""}"#,
    r#"{"zebra":1,"apple":2,"10":3,"content":"keys keep their order","role":"user"}"#,
    r#"{"content":"\u0000 \ud800 \udfff \\ \" \b\f\n\r\t 👩‍👩‍👧 é","role":"user"}"#,
    r#"{"n":[0,-0,1e21,1.7976931348623157e+308,5e-324,9007199254740993,0.1]}"#,
    r#"{"":{"":[[],{},[{}]]},"__proto__":{"polluted":true},"constructor":1}"#,
    r#"{"line separators":"  ","timestamp":1700000000000.5,"cacheHint":"none"}"#,
    r#"{"at":"2026-04-02T08:00:00.000Z","id":"msg_mine","sessionId":"x","tenantId":"y"}"#,
];

pub fn messages_come_back_verbatim_and_in_order<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    let id = session.id.as_str();
    for text in AWKWARD {
        wait(store.append_message(id, message(text), &alpha())).unwrap();
    }
    assert_eq!(world.messages(id), AWKWARD);
}

pub fn an_envelope_says_whose_message_it_is_and_when_it_came<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    let ids: Vec<String> = ["one", "two"].map(|text| world.say(&session, text)).into();
    assert_ne!(ids[0], ids[1]);
    let envelopes = world.envelopes(session.id.as_str());
    assert_eq!(envelopes.len(), 2);
    for ((text, id), content) in envelopes.iter().zip(&ids).zip(["one", "two"]) {
        assert!(is_generated(id, "msg_"));
        let envelope: Value = serde_json::from_str(text).unwrap();
        let at = envelope["at"].as_str().unwrap();
        assert!(is_date(at));
        let expected = json!({
            "id": id,
            "sessionId": session.id.as_str(),
            "tenantId": "tnt_alpha",
            "message": { "role": "user", "content": content },
            "at": at,
        });
        assert_eq!(envelope, expected);
    }
}

pub fn a_session_without_messages_has_an_empty_log<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    for id in [session.id.as_str(), UNKNOWN_SESSION] {
        assert!(world.messages(id).is_empty());
        assert!(world.envelopes(id).is_empty());
    }
}

pub fn a_message_needs_its_session<S: SessionStore>(store: &S) {
    let result = wait(store.append_message(UNKNOWN_SESSION, said("x"), &alpha()));
    expect_not_found(result, UNKNOWN_SESSION);
}

pub fn logs_of_two_sessions_do_not_mix<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [one, two] = world.sessions();
    for n in 0..10 {
        world.say(&one, &format!("one {n}"));
        world.say(&two, &format!("two {n}"));
    }
    let said = |who: &str| (0..10).map(|n| format!("{who} {n}")).collect::<Vec<_>>();
    assert_eq!(world.contents(&one), said("one"));
    assert_eq!(world.contents(&two), said("two"));
}

pub fn a_log_outlives_updates_and_a_summary<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    world.say(&session, "before");
    world.update(&session, &json!({ "status": "active" })).unwrap();
    world.summarize(&session, &json!({})).unwrap();
    world.say(&session, "after");
    assert_eq!(world.contents(&session), ["before", "after"]);
}

pub fn messages_of_one_millisecond_keep_their_order<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    let expected: Vec<String> = (0..500).map(|n| n.to_string()).collect();
    for content in &expected {
        world.say(&session, content);
    }
    assert_eq!(world.contents(&session), expected);
}

pub fn a_message_of_16_mib_comes_back_whole<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    let id = session.id.as_str();
    let long = format!(r#"{{"role":"user","content":"{}"}}"#, "x".repeat(16 << 20));
    for text in [r#"{"n":1}"#, &long, r#"{"n":2}"#] {
        wait(store.append_message(id, message(text), &alpha())).unwrap();
    }
    let read = world.messages(id);
    assert_eq!(read.len(), 3);
    assert_eq!((read[0].as_str(), read[2].as_str()), (r#"{"n":1}"#, r#"{"n":2}"#));
    assert!(read[1] == long, "the long message differs");
    assert_eq!(world.envelopes(id).len(), 3);
}

pub fn of_concurrent_appends_none_is_lost<S: SessionStore>(store: &S) {
    const WRITERS: usize = 4;
    const EACH: usize = 50;
    let world = World::new(store);
    let session = world.session();
    let mut ids: Vec<String> = thread::scope(|scope| {
        let write = |writer: usize| {
            let (world, session) = (&world, &session);
            move || -> Vec<String> {
                (0..EACH).map(|n| world.say(session, &format!("{writer}:{n}"))).collect()
            }
        };
        let writers: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(write(writer))).collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let contents = world.contents(&session);
    assert_eq!(contents.len(), WRITERS * EACH);
    for writer in 0..WRITERS {
        let prefix = format!("{writer}:");
        let kept: Vec<&str> =
            contents.iter().filter_map(|text| text.strip_prefix(&prefix)).collect();
        let expected: Vec<String> = (0..EACH).map(|n| n.to_string()).collect();
        assert_eq!(kept, expected, "writer {writer}'s own order");
    }
    let mut stored: Vec<String> = world
        .envelopes(session.id.as_str())
        .iter()
        .map(|text| {
            let envelope: Value = serde_json::from_str(text).unwrap();
            envelope["id"].as_str().unwrap().to_owned()
        })
        .collect();
    ids.sort();
    stored.sort();
    assert_eq!(stored, ids, "every id that was answered is in the log");
}
